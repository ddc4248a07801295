"""Slash commands: one file each, and one registry that help, completion and the manual are made from."""
