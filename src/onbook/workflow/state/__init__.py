"""What `state.json` holds and may become, where it is kept, and where a workflow goes on after a crash or a night."""
