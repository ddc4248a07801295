"""The workflow: Plan → Generate → Verify → Evaluate as a state machine that no model can talk its way around."""
