"""A conversation with a model: its standing instruction, its history, its turns."""
