"""Step 8 and what a person may ask for after it: commit, clean up, `discard` and `clean`."""
