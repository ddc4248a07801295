"""Prompt pipelines: chains of Markdown files, each gated by how sure the model was."""
