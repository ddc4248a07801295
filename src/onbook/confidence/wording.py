"""The last resort: how sure an answer sounds."""

import re

from onbook.events import Reading

HEDGING = (
    "I'm not sure",
    "I cannot determine",
    "I don't know",
    "unclear",
    "uncertain",
    "it's possible",
    "might be",
    "I'm unsure",
)
"""Seed 1. Either apostrophe, any case."""
HEDGED, PLAIN = 0.30, 0.80
"""Seed 1: the score of an answer with one of the phrases, and of one without."""


def read_wording(text: str) -> Reading:
    """A guess that always gives something: low where the answer hedges, else the seed's figure for the rest."""
    found = _HEDGING.search(text)
    if found is None:
        return Reading(PLAIN, "wording", "no hedging phrase found")
    phrase = " ".join(found[0].split()).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return Reading(HEDGED, "wording", f'says "{phrase}"')


def _pattern(phrase: str) -> str:
    return r"\s+".join(re.escape(word).replace("'", "['\N{RIGHT SINGLE QUOTATION MARK}]") for word in phrase.split())


_HEDGING = re.compile(rf"(?<!\w)(?:{'|'.join(map(_pattern, HEDGING))})(?!\w)", re.IGNORECASE)
