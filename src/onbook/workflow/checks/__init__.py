"""Layer 1 of step 5: the commands that onbook runs itself, and the report it writes of them."""
