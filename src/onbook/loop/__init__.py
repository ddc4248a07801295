"""The loop: one line carried out again and again, at an interval, a bounded number of times."""
