"""Steps 2 to 7, a module each: what a phase sends, reads and decides. The table of phases is `state/phase.py`."""
