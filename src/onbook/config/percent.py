"""`85%` as people write a threshold: one form, understood the same in settings and on the command line."""

import re

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?|\.[0-9]+)%")
RIGHT_FORM = "a percentage above 0 and up to 100, as in 85%"


def share_of(percent: str) -> float | None:
    """The share, above 0 and up to 1; None for what is not such a percentage."""
    found = _PERCENT.fullmatch(percent)
    value = float(found[1]) if found else 0.0
    return value / 100 if 0 < value <= 100 else None
