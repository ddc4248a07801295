"""The one door for effects: so far, which workspaces are trusted and what must never be shown."""
