"""The command line, loaded a command at a time."""
