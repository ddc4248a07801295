"""How a recorded file ends: said to its end, cleanly between two turns, or torn in the middle of a write."""

from pathlib import Path

import msgspec

from onbook.transcript.errors import TranscriptError
from onbook.transcript.sealing import END_OF_SCENE, INTERRUPTED, STEP, TURN
from onbook.transcript.write import FADE_IN, THE_END

HEAD = b"Title: onbook session\nCredit: Recorded by onbook\n"
_END = f"\n\n{THE_END}".encode()
_SEALS = (f"[[{TURN}".encode(), f"[[{STEP}".encode(), f"[[{END_OF_SCENE}]]".encode())


class Tail(msgspec.Struct, frozen=True):
    """What whoever appends next must do."""

    keep: int
    """How many bytes stay: all of them, but for half a character at a torn end or half a title page."""
    bridge: str
    """What is written between the old end and the next scene."""


def tail_of(data: bytes, path: Path) -> Tail:
    """Looks at the end of the file only, after its head: a file of another kind is refused."""
    if not can_grow(data):
        raise TranscriptError(f"{path}: not a session recorded by onbook, so it cannot be continued")
    if not data.partition(b"\n\n")[2].strip(b"\n"):
        return Tail(0, "")
    text = data.rstrip(b"\n")
    gap = "\n" * (2 - len(data) + len(text))
    if text.endswith(_END):
        return Tail(len(data), f"{gap}{FADE_IN}\n\n")
    last = text[text.rfind(b"\n\n") + 2 :]
    if last == FADE_IN.encode() or (last.startswith(_SEALS) and last.endswith(b"]]")):
        return Tail(len(data), gap)
    return Tail(len(without_half_character(data)), f"\n\n[[{INTERRUPTED}]]\n\n")


def can_grow(data: bytes) -> bool:
    """Whether this is onbook's own file as onbook wrote it, or as much of one as a kill let it write."""
    return data.startswith(HEAD) or HEAD.startswith(data)


def without_half_character(data: bytes) -> bytes:
    """The data up to the last whole UTF-8 character: what a kill in the middle of one leaves is dropped."""
    for length in range(1, min(3, len(data)) + 1):
        byte = data[-length]
        if byte >= 0xC0:
            whole = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return data[:-length] if length < whole else data
        if byte < 0x80:
            break
    return data
