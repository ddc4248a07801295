"""What a JSON object says about confidence."""

import json
import re
from typing import Any

from onbook.events import Reading

LONGEST_REASON = 500


def reading_in(source: str) -> Reading | None:
    """What a JSON object says about confidence; None where that is nothing, or no number from 0 to 1."""
    values: dict[str, Any] = json.loads(source)
    score, reason = values.get("confidence"), values.get("reason")
    if isinstance(score, str) and _NUMBER.fullmatch(score.strip()):
        score = float(score)
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        return None
    return Reading(abs(float(score)), "block", _one_line(reason) if isinstance(reason, str) else "")


_NUMBER = re.compile(r"[-+]?(?:[0-9]{1,99}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,9})?")


def _one_line(reason: str) -> str:
    """Without what would move a cursor, and without halves of characters, which no file could hold."""
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in reason).split())
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"
