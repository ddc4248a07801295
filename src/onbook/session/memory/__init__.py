"""What a workspace remembers from one session to the next."""
