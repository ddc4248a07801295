"""The one door for effects: what may be done, asked or refused, what is trusted, and what must never be shown."""
