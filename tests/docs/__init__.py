"""Pages that cannot go stale: what README, the tutorial and the pictures show is what the program does today."""
