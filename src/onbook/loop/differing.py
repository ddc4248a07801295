"""What became of an output since the iteration before."""

from onbook.policy.undo import Change
from onbook.session.differences import unified
from onbook.words import counted

MOST_LINES = 60
MOST_IN_A_LINE = 500
_HEAD = 2
"""The names of the two files, which an output has none of."""


def difference(before: str, now: str, since: int) -> str:
    """A unified diff under a line that says with which iteration `now` was compared."""
    lines = list(unified(Change("", _data(before), _data(now))))[_HEAD:]
    left_out = len(lines) - MOST_LINES
    more = [f"… {counted(left_out, 'more line')}"] if left_out > 0 else []
    return "\n".join([f"changed since iteration {since}:", *map(_cut, lines[:MOST_LINES]), *more])


def _cut(line: str) -> str:
    left_out = len(line) - MOST_IN_A_LINE
    return f"{line[:MOST_IN_A_LINE]} … {counted(left_out, 'more character')}" if left_out > 0 else line


def _data(text: str) -> bytes:
    """With a whole last line, which an answer seldom has: it is no file, and nobody would call that a change."""
    whole = text if text.endswith("\n") or not text else f"{text}\n"
    return whole.encode("utf-8", "replace")
