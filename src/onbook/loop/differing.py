"""What became of an output since the iteration before."""

from onbook.policy.undo import Change
from onbook.session.differences import unified
from onbook.words import counted

MOST_LINES = 60
_HEAD = 2
"""The names of the two files, which an output has none of."""


def difference(before: str, now: str, since: int) -> str:
    """A unified diff under a line that says with which iteration `now` was compared."""
    change = Change("", _data(before), _data(now))
    lines = list(unified(change))[_HEAD:]
    left_out = len(lines) - MOST_LINES
    more = [f"… {counted(left_out, 'more line')}"] if left_out > 0 else []
    return "\n".join([f"changed since iteration {since}:", *lines[:MOST_LINES], *more])


def _data(text: str) -> bytes:
    return text.encode("utf-8", "replace")
