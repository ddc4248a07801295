"""`30s`, `5m`, `1h30m`: how long to wait between two iterations, read and written."""

import re

from onbook.config import amounts
from onbook.outcome import UsageError
from onbook.policy.effects import one_line

SHORTEST = 0.1
_BARE = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,9})?")
_UNITS = ("d", "h", "m", "s", "ms")
_SAID = ((86400, "d"), (3600, "h"), (60, "m"))


def seconds_of(interval: str) -> float:
    """The seconds; a bare number is seconds already."""
    amount = interval.removeprefix("-")
    seconds = float(amount) if _BARE.fullmatch(amount) else amounts.seconds_of(amount, _UNITS)
    if seconds is None:
        raise UsageError(f'loop: invalid interval "{one_line(interval, 60)}" — use e.g. 30s, 5m, 1h')
    if amount != interval or not seconds:
        raise UsageError("loop: interval must be positive")
    if seconds < SHORTEST:
        raise UsageError("loop: interval must be at least 100ms")
    return seconds


def span(seconds: float) -> str:
    """As short as it can be said: `500ms`, `1.5s`, `5m`, `1h30m`."""
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    words = []
    for size, unit in _SAID:
        if seconds >= size:
            words.append(f"{seconds // size:.0f}{unit}")
            seconds %= size
    return "".join([*words, f"{seconds:g}s"] if seconds or not words else words)
