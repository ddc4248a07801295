"""What a step's message ends with, unseen by the user: the request for a confidence."""

INSTRUCTION = """\
---
After your response, append the following JSON block on its own line.
Do not include any text after the block.
{"confidence": 0.0-1.0, "reason": "one-line rationale"}"""
"""Seed 1, to the letter."""


def with_instruction(text: str) -> str:
    """The text as it is, an empty line, and the instruction: a rule right under a line would make it a heading."""
    return f"{text}\n\n{INSTRUCTION}"
