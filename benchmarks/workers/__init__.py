"""Processes that do one kind of work, warm, and report what it cost. Each imports only what it measures."""
