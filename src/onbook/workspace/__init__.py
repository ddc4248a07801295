"""The workspace: its root folder, safe writing, locks, and edits of its settings file."""
