"""Time and sizes as people write them: `1h30m`, `500MB`. What is too much or too little, its users say."""

import re
from collections.abc import Collection

_NUMBER = r"[0-9]{1,12}(?:\.[0-9]{1,9})?"
_SECONDS = {"w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_TIME = re.compile(r"(?=[0-9])" + "".join(rf"(?:(?P<{unit}>{_NUMBER}){unit})?" for unit in _SECONDS))
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)([kmgt]?)(i?)b?", re.IGNORECASE)


def seconds_of(text: str, units: Collection[str] = tuple(_SECONDS)) -> float | None:
    """The seconds of `500ms`, `90s`, `1.5h`, `1h30m` or `2w`; None when it is no such text, or has other units."""
    found = _TIME.fullmatch(text)
    given = {unit: float(number) for unit, number in found.groupdict().items() if number} if found else {}
    if not given or given.keys() - set(units):
        return None
    return sum(number * _SECONDS[unit] for unit, number in given.items())


def bytes_of(text: str) -> int | None:
    """The bytes of `1048576`, `500MB` or `1GiB`; None when it is no such text."""
    found = _SIZE.fullmatch(text)
    if found is None or (found[3] and not found[2]):
        return None
    power = " kmgt".index(found[2].lower() or " ")
    return int(float(found[1]) * (1_024 if found[3] else 1_000) ** power)
