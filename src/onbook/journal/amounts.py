"""Ages and sizes as people write them: `30d`, `500MB`."""

import re

_NUMBER = r"([0-9]{1,15}(?:\.[0-9]{1,6})?)"
_AGE = re.compile(rf"{_NUMBER}([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_SIZE = re.compile(rf"{_NUMBER}([kmgt]?)(i?)b?", re.IGNORECASE)


def seconds_of(text: str) -> float | None:
    """The seconds of `90s`, `12h`, `30d` or `2w`; None when it is no such text."""
    found = _AGE.fullmatch(text.strip())
    return float(found[1]) * _SECONDS[found[2]] if found else None


def bytes_of(text: str) -> int | None:
    """The bytes of `1048576`, `500MB` or `1GiB`; None when it is no such text."""
    found = _SIZE.fullmatch(text.strip())
    if found is None or (found[3] and not found[2]):
        return None
    power = " kmgt".index(found[2].lower() or " ")
    return int(float(found[1]) * (1_024 if found[3] else 1_000) ** power)
