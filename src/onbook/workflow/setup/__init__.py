"""Steps 1 and 1.5: from what was typed to a state in which planning can begin."""
