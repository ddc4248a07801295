"""Files of the workspace, indexed: passages found by their words and, where a model gives vectors, by their meaning."""
