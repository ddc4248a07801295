"""`30s`, `5m`, `1h30m`: how long to wait between two iterations, read and written."""

import re

from onbook.outcome import UsageError

SHORTEST = 0.1
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
_WRITTEN = re.compile(
    rf"(-?)(?:{_NUMBER}|(?=[0-9])(?:{_NUMBER}d)?(?:{_NUMBER}h)?(?:{_NUMBER}m(?!s))?(?:{_NUMBER}s)?(?:{_NUMBER}ms)?)"
)
_SECONDS = (1, 86400, 3600, 60, 1, 0.001)
_UNITS = ((86400, "d"), (3600, "h"), (60, "m"))


def seconds_of(interval: str) -> float:
    """The seconds; a bare number is seconds already."""
    found = _WRITTEN.fullmatch(interval)
    if found is None:
        raise UsageError(f'loop: invalid interval "{interval}" — use e.g. 30s, 5m, 1h')
    sign, *amounts = found.groups()
    seconds = sum(float(amount) * unit for amount, unit in zip(amounts, _SECONDS, strict=True) if amount)
    if sign or not seconds:
        raise UsageError("loop: interval must be positive")
    if seconds < SHORTEST:
        raise UsageError("loop: interval must be at least 100ms")
    return seconds


def span(seconds: float) -> str:
    """As short as it can be said: `500ms`, `1.5s`, `5m`, `1h30m`."""
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    words = []
    for size, unit in _UNITS:
        if seconds >= size:
            words.append(f"{seconds // size:.0f}{unit}")
            seconds %= size
    return "".join([*words, f"{seconds:g}s"] if seconds or not words else words)
