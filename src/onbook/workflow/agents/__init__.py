"""The agents of a workflow: who they are, what they are told, what they may do, and how they are sent out."""
