"""What became of a file, or would become of it, as a unified diff."""

import difflib
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal

from onbook.policy.undo import Change
from onbook.session.reading import lines_of, text_of

MOST_COMPARED = 1 << 20
"""Bytes of a file."""
MOST_PAIRS = 1_000_000
"""Lines before times lines now, of the part that changed: matching more would take longer than anybody waits."""
_CONTEXT = 3
Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]
"""What difflib calls so: some lines before, and what stands in their place now."""


def unified(change: Change) -> Iterator[str]:
    """The lines of the diff; sizes alone where there is no text to compare."""
    old, new = _text(change.old), _text(change.new)
    before = "/dev/null" if change.old is None else f"a/{change.path}"
    after = "/dev/null" if change.new is None else f"b/{change.path}"
    yield f"--- {before}"
    yield f"+++ {after}"
    if old is None or new is None:
        yield f"(no text to compare: {len(change.old or b''):,} bytes before, {len(change.new or b''):,} now)"
        return
    yield from _hunks(lines_of(old), lines_of(new))


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for hunk in _Matching(old, new).get_grouped_opcodes(_CONTEXT):
        (_, i, _, j, _), (_, _, i_end, _, j_end) = hunk[0], hunk[-1]
        yield f"@@ -{_range(i, i_end)} +{_range(j, j_end)} @@"
        for tag, i, i_end, j, j_end in hunk:
            if tag == "equal":
                yield from _marked(" ", old[i:i_end])
            else:
                yield from _marked("-", old[i:i_end])
                yield from _marked("+", new[j:j_end])


class _Matching(difflib.SequenceMatcher[str]):
    """Only what lies between the first and the last change is matched line by line, and where even that is too much
    it counts as replaced."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)
        self._sides = old, new

    def get_opcodes(self) -> list[Opcode]:
        old, new = self._sides
        head = _alike(old, new)
        tail = _alike(old[head:][::-1], new[head:][::-1])
        i_end, j_end = len(old) - tail, len(new) - tail
        middle = _matched(old[head:i_end], new[head:j_end])
        steps: list[Opcode] = [("equal", 0, head, 0, head)] if head else []
        steps += [(tag, i + head, i2 + head, j + head, j2 + head) for tag, i, i2, j, j2 in middle]
        return [*steps, ("equal", i_end, len(old), j_end, len(new))] if tail else steps


def _matched(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    if len(old) * len(new) > MOST_PAIRS:
        return [("replace", 0, len(old), 0, len(new))]
    return difflib.SequenceMatcher(None, old, new).get_opcodes()


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines are the same from the beginning on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _range(start: int, end: int) -> str:
    """Lines as a diff counts them: from 1, and an empty range from the line before it."""
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        yield mark + line.rstrip("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _text(data: bytes | None) -> str | None:
    if data is None:
        return ""
    return text_of(data) if len(data) <= MOST_COMPARED else None
