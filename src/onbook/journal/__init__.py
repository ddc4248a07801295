"""Every run and every step instance, in one SQLite file: what resume and `onbook runs` read."""
