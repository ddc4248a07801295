"""The second question, where an answer came without its confidence, and what is understood as a reply to it."""

import re
from typing import Any

QUESTION = "Rate your confidence 0.0–1.0. Reply only: CONFIDENCE: <score>"
"""Seed 1, to the letter."""

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"confidence": {"type": "number", "minimum": 0, "maximum": 1}},
    "required": ["confidence"],
    "additionalProperties": False,
}
"""What a backend that can be held to a schema is held to."""


def score_in(answer: str) -> float | None:
    """The score in a reply to the question, 0 to 1; None where it gives none, or none that is certain to be it."""
    plain = re.sub(r"[*_`]", "", answer).strip()
    scores = {_share(found) for found in _LABELLED.finditer(plain)}
    if not scores and (bare := _BARE.fullmatch(plain)):
        scores = {_share(bare)}
    return scores.pop() if len(scores) == 1 else None


_SCORE = r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ ]?(?P<percent>%)?"
_END = r"(?![0-9A-Za-z%/–-]|\.[0-9]|[ ]*(?:-|–|to|and|or|out of)[ ]*[0-9])"
"""Not one end of a scale: `0.0–1.0`, `0 to 1`, `8/10`."""
_LABELLED = re.compile(
    rf"\bconfidence\b(?:[ ]score|[ ]level)?[\"']?(?:\s*[:=]\s*|[ ]is[ ]|[ ])[\"'<]?{_SCORE}{_END}", re.IGNORECASE
)
_BARE = re.compile(rf"[\"'<(\[]?{_SCORE}\.?[\"'>)\]]?")


def _share(found: re.Match[str]) -> float | None:
    share = float(found["number"][:40]) / (100 if found["percent"] else 1)
    return share if share <= 1 else None
