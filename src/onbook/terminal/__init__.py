"""What a person sees and types: views of events, and the conversation at the prompt."""
