"""How much several replies to the same question agree."""

import re
from collections.abc import Sequence

from onbook.events import Reading


def agreement(replies: Sequence[str]) -> tuple[int, Reading]:
    """Which reply is nearest to all others (the earliest of several), and how alike two replies are on average."""
    words = [frozenset(_WORD.findall(reply.casefold())) for reply in replies]
    nearness = [sum(_alike(mine, other) for other in words) - 1 for mine in words]
    pairs = len(replies) * (len(replies) - 1)
    score = min(1.0, sum(nearness) / pairs) if pairs else 1.0
    medoid = max(range(len(replies)), key=lambda index: (round(nearness[index], 9), -index))
    return medoid, Reading(score, "samples", f"{len(replies)} replies")


_WORD = re.compile(r"\w+|[^\w\s]")


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """Words in common, of all words in either; two empty replies are the same."""
    return len(one & other) / len(one | other) if one or other else 1.0
