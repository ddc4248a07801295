"""Whole tasks, from the first key press to the audit log."""
