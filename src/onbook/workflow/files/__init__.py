"""The files of a workflow: which may be named, which have changed, and what agents left behind."""
