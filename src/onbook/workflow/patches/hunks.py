"""Applying hunks to the bytes of a file: where they say they belong, or else where alone they fit."""

import re
from collections.abc import Sequence
from itertools import islice

from onbook.workflow.patches.diffs import Hunk, PatchRefused

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def fitted(hunks: Sequence[Hunk], data: bytes) -> tuple[Hunk, ...]:
    r"""The hunks with the line ends of the file: a model that was shown a file with `\r\n` writes `\n`."""
    is_windows = b"\n" in data and data.count(b"\n") == data.count(b"\r\n")
    if not is_windows or any(line.endswith(b"\r\n") for hunk in hunks for _, line in hunk.lines):
        return tuple(hunks)
    return tuple(Hunk(hunk.start, tuple((sign, _windows(line)) for sign, line in hunk.lines)) for hunk in hunks)


def patched(data: bytes, hunks: Sequence[Hunk]) -> bytes:
    """The file with all hunks applied; PatchRefused when one of them does not fit, and then nothing is."""
    lines: list[bytes] = _LINE.findall(data)
    is_new = [False] * len(lines)
    for number, hunk in enumerate(hunks, start=1):
        old, new = hunk.old, hunk.new
        at = _place(lines, is_new, hunk)
        if at is None:
            raise PatchRefused(f"does not fit: hunk {number} of {len(hunks)}")
        lines[at : at + len(old)] = new
        is_new[at : at + len(old)] = [True] * len(new)
    return b"".join(_joined(lines))


def _place(lines: Sequence[bytes], is_new: Sequence[bool], hunk: Hunk) -> int | None:
    """Where the hunk's old lines begin; None when they are nowhere, or at several places and none of them is named."""
    old, stated = hunk.old, hunk.start - 1
    if not old:
        return 0 if not lines else None

    def fits(at: int) -> bool:
        is_there = lines[at] == old[0] and lines[at : at + len(old)] == old
        return is_there and not any(is_new[at : at + len(old)])

    if 0 <= stated < len(lines) and fits(stated):
        return stated
    found = list(islice((at for at in range(len(lines) - len(old) + 1) if fits(at)), 2))
    return found[0] if len(found) == 1 else None


def _joined(lines: Sequence[bytes]) -> Sequence[bytes]:
    """Only the last line may be without its end."""
    if not all(line.endswith(b"\n") for line in lines[:-1]):
        raise PatchRefused("does not fit: it takes away the end of a line that is not the last")
    return lines


def _windows(line: bytes) -> bytes:
    return line[:-1] + b"\r\n" if line.endswith(b"\n") else line
