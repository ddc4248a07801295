"""The time of a scene."""

import time


def clock(seconds: float) -> str:
    """Seconds since 1970 as UTC, `2026-05-20 14:30:00`."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
