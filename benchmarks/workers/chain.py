"""The chain that everybody runs: five prompts, each asked together with the reply to the one before."""

import json

from benchmarks.workers.report import WORDS

MODEL = "llama3:latest"
SYSTEM = "Answer in short sentences, and say nothing that you were not asked."
THRESHOLD = 0.9
BLOCK = {"confidence": 0.95, "reason": "everything needed was given"}
REPLY = " ".join(WORDS) + "\n\n" + json.dumps(BLOCK)
"""What the model says at every step; the block is for the gate and goes no further."""
INSTRUCTION = """---
After your response, append the following JSON block on its own line.
Do not include any text after the block.
{"confidence": 0.0-1.0, "reason": "one-line rationale"}"""
PROMPTS = {
    "gather.md": "Gather what is known about the outage of last night, hour by hour.",
    "sort.md": "Put the hours above in order, and drop what has no time.",
    "explain.md": "Say what caused what, as far as the notes above tell.",
    "question.md": "Doubt the explanation above: what would it look like if it were wrong?",
    "report.md": "Write the report that the next shift should read.",
}


def asked(reply: str, body: str) -> str:
    """The reply before, a rule, this step's prompt, and the request for a confidence: what onbook sends."""
    return "\n\n".join((*((reply, "---") if reply else ()), body, INSTRUCTION))
