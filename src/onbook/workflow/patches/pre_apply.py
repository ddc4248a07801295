"""Applying a patch so that a kill at any instruction loses nothing: copies first, then a note, then the files.

The note says what each file was and what it is to become. Whoever comes back and finds the patch undecided puts back
what was written by then, and leaves alone what somebody has changed since.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from onbook.outcome import OnbookError
from onbook.policy.door import Door
from onbook.policy.hands import read_or_none, write_bytes
from onbook.policy.paths import PathRefused
from onbook.workflow.patches.diffs import PatchRefused
from onbook.workflow.patches.trying import Change

COPIES = ".harness/autofix_pre_apply"
"""Where the files lie as they were, each at its own path."""
NOTE = f"{COPIES}.json"
_PRIVATE = 0o600


class Noted(msgspec.Struct, frozen=True):
    """A change as the note has it: SHA-256 of the file before, if there was one, and after."""

    path: str
    before: str | None
    after: str


async def write_changes(door: Door, changes: Sequence[Change]) -> None:
    """Write the files; where one of them cannot be written, all are put back, and PatchRefused says why."""
    await asyncio.to_thread(_copy_aside, door.root, changes)
    applying = door.because("a person let the patch pass")
    try:
        for change in changes:
            await applying.write(f"./{change.path}", change.after, by="user")
    except OnbookError as error:
        await put_back(door)
        raise PatchRefused(f"could not be written: {error}") from None


async def put_back(door: Door) -> None:
    """Put back, byte for byte, what was written of a patch that nobody has decided about."""
    door = door.because("the workflow takes a patch back")
    for noted in _noted(door.root):
        now, copy = read_or_none(door.root, noted.path), read_or_none(door.root, f"{COPIES}/{noted.path}")
        if _sha256(now) != noted.after:
            continue
        if noted.before is None:
            await door.delete(f"./{noted.path}", by="user")
        elif copy is not None and _sha256(copy) == noted.before:
            await door.write(f"./{noted.path}", copy, by="user")


def _copy_aside(root: Path, changes: Sequence[Change]) -> None:
    noted = [Noted(change.path, _sha256(change.before), _sha256(change.after) or "") for change in changes]
    try:
        for change in changes:
            if change.before is not None:
                write_bytes(root, f"{COPIES}/{change.path}".split("/"), change.before, _PRIVATE)
        write_bytes(root, NOTE.split("/"), msgspec.json.encode(noted), _PRIVATE)
    except PathRefused as error:
        raise PatchRefused(f"was not applied: a copy of the files {error}") from None


def _noted(root: Path) -> tuple[Noted, ...]:
    """Nothing where there is no note, or one that is not ours."""
    try:
        return msgspec.json.decode(read_or_none(root, NOTE) or b"[]", type=tuple[Noted, ...])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ()


def _sha256(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
