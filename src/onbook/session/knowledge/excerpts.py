"""The few lines of a passage that show why it was found."""

import re

from onbook.policy.secrets import redact
from onbook.session.knowledge.words import query_terms

LINES = 3
WIDTH = 110


def excerpt(text: str, question: str) -> list[str]:
    """The lines that share most with the question, without keys and none too long for a screen."""
    lines = [line.strip() for line in redact(text).splitlines() if re.search(r"\w", line)] or [""]
    # Beginnings of words, since the index knows `recorded` for `recording` too.
    beginnings = {term.strip('"').replace(" ", "")[:5] for term in query_terms(question)}
    shared = [sum(word in line.lower() for word in beginnings) for line in lines]
    starts = range(max(len(lines) - LINES, 0) + 1)
    best = max(starts, key=lambda start: sum(shared[start : start + LINES]))
    return [f"{line[:WIDTH]}…" if len(line) > WIDTH else line for line in lines[best : best + LINES]]
