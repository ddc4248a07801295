"""The bytes that were there before: every write and delete of a turn can be shown and taken back.

`.onbook/undo/<time>-<turn>/` holds a line for each change and the earlier bytes of each file. The line is on
disk before the file is touched, so a kill between the two loses nothing.

A cloned repository may have planted such a folder. So nothing of it is believed that would lead anywhere but to plain
files of the workspace, and nothing is ever put back into what belongs to git or to onbook.
"""

import hashlib
import os
import re
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from onbook.outcome import OnbookError
from onbook.policy.effects import one_line
from onbook.policy.hands import delete_file, file_mode, list_folder, read_bytes, write_bytes
from onbook.policy.names import is_protected
from onbook.policy.paths import PathRefused, folder_of
from onbook.workspace.root import PRIVATE_NAME, private_folder

FOLDER = (PRIVATE_NAME, "undo")
KEEP_SECONDS = 14 * 86400.0
KEEP_BYTES = 256 << 20


class NothingToUndo(OnbookError):
    """There is no turn whose changes could be taken back."""


class BadRecord(OnbookError):
    """What was kept of a turn is not what this program writes."""


class Change(msgspec.Struct, frozen=True):
    """A file before and after a turn; None where there was none."""

    path: str
    old: bytes | None
    new: bytes | None


class Undone(msgspec.Struct, frozen=True):
    """What taking back did."""

    turn: str
    restored: tuple[str, ...]
    refused: tuple[str, ...]
    """A sentence for each file that was left as it is."""


Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class _Entry(msgspec.Struct, frozen=True):
    path: bytes
    """As the file system has it: not every name is text."""
    before: Digest | None
    after: Digest | None
    mode: Annotated[int, msgspec.Meta(ge=0, le=0o7777)] | None


class Undo:
    """What can be taken back in one workspace."""

    def __init__(self, root: Path, *, keep_seconds: float = KEEP_SECONDS, keep_bytes: int = KEEP_BYTES) -> None:
        self.root = root
        self._keep_seconds = keep_seconds
        self._keep_bytes = keep_bytes
        self._begun: set[str] = set()

    def keep(self, turn: str, parts: Sequence[str], new: bytes | None) -> None:
        """Remember what is at `parts` now, before it becomes `new` (None: is removed)."""
        mode = file_mode(self.root, parts)
        old = read_bytes(self.root, parts) if mode is not None else None
        private_folder(self.root)
        folder = self._folder(turn) or self._begin(turn)
        self._begun.add(folder)
        if old is not None:
            write_bytes(self.root, (*FOLDER, folder, str(_digest(old))), old, mode=0o600)
        entry = _Entry(os.fsencode("/".join(parts)), _digest(old), _digest(new), mode)
        lines = self._lines(folder) + msgspec.json.encode(entry) + b"\n"
        write_bytes(self.root, (*FOLDER, folder, "changes.jsonl"), lines, mode=0o600)

    def turns(self) -> tuple[str, ...]:
        """The turns that changed something, the latest last."""
        return tuple(name.partition("-")[2] for name in self._folders())

    def earlier(self) -> float | None:
        """When the last turn was, if it was not one of this session's: whoever takes it back should know that."""
        folder = self._chosen(None)
        return None if folder in self._begun else int(folder.partition("-")[0]) / 1e9

    def changes(self, turn: str | None = None) -> tuple[Change, ...]:
        """The files of a turn (the last by default) before it and now."""
        folder = self._chosen(turn)
        found = []
        for path, first, _ in self._files(folder):
            found.append(Change(path, self._earlier(folder, first), self._now(path)))
        return tuple(change for change in found if change.old != change.new)

    def undo(self, turn: str | None = None) -> Undone:
        """Put back what a turn (the last by default) changed; a file that was changed since is left alone."""
        folder = self._chosen(turn)
        restored: list[str] = []
        refused: list[str] = []
        for path, first, last in self._files(folder):
            try:
                problem = self._put_back(folder, path, first, last)
            except PathRefused as error:
                problem = f"{one_line(path)} {error}: left as it is"
            (refused if problem else restored).append(problem or path)
        if not refused:
            self._forget(folder)
        return Undone(folder.partition("-")[2], tuple(restored), tuple(refused))

    def prune(self) -> None:
        """Forget what is too old, and the oldest when there is too much; the last turn always stays."""
        folders = self._folders()
        sizes = {name: self._size(name) for name in folders}
        total = sum(sizes.values())
        for name in folders[:-1]:
            too_old = time.time_ns() - int(name.partition("-")[0]) > self._keep_seconds * 1e9
            if too_old or total > self._keep_bytes:
                total -= sizes[name]
                self._forget(name)

    def _put_back(self, folder: str, path: str, first: _Entry, last: _Entry) -> str:
        now = self._now(path)
        digest = _digest(now)
        parts = path.split("/")
        if digest == first.before:
            return ""
        if is_protected(parts):
            return f"{one_line(path)} belongs to git or to onbook: left as it is"
        if digest != last.after:
            return f"{one_line(path)} was changed since: left as it is"
        if first.before is None:
            delete_file(self.root, parts)
        else:
            write_bytes(self.root, parts, self._earlier(folder, first) or b"", mode=first.mode)
        return ""

    def _files(self, folder: str) -> list[tuple[str, _Entry, _Entry]]:
        """Each file with its first and its last change."""
        entries = [_entry(line) for line in self._lines(folder).splitlines()]
        firsts = {entry.path: entry for entry in reversed(entries)}
        lasts = {entry.path: entry for entry in entries}
        return [(os.fsdecode(path), firsts[path], lasts[path]) for path in lasts]

    def _earlier(self, folder: str, entry: _Entry) -> bytes | None:
        if entry.before is None:
            return None
        kept = read_bytes(self.root, (*FOLDER, folder, entry.before))
        if _digest(kept) != entry.before:
            raise BadRecord(f"the bytes kept in {folder} are not those that were there")
        return kept

    def _now(self, path: str) -> bytes | None:
        parts = path.split("/")
        return None if file_mode(self.root, parts) is None else read_bytes(self.root, parts)

    def _chosen(self, turn: str | None) -> str:
        folders = self._folders()
        found = folders[-1] if turn is None and folders else self._folder(turn or "")
        if found is None:
            raise NothingToUndo("there is nothing to take back" if turn is None else f"turn {turn} changed nothing")
        return found

    def _folder(self, turn: str) -> str | None:
        return next((name for name in reversed(self._folders()) if name.partition("-")[2] == _safe(turn)), None)

    def _begin(self, turn: str) -> str:
        self.prune()
        return f"{time.time_ns():020d}-{_safe(turn)}"

    def _folders(self) -> list[str]:
        try:
            names = [name for name, status in list_folder(self.root, FOLDER) if stat.S_ISDIR(status.st_mode)]
        except PathRefused:
            return []
        now = f"{time.time_ns():020d}-~"
        return [name for name in names if re.fullmatch(r"[0-9]{20}-.+", name) and name < now]

    def _lines(self, folder: str) -> bytes:
        try:
            return read_bytes(self.root, (*FOLDER, folder, "changes.jsonl"))
        except PathRefused:
            return b""

    def _size(self, folder: str) -> int:
        return sum(status.st_size for _, status in list_folder(self.root, (*FOLDER, folder)))

    def _forget(self, folder: str) -> None:
        """Remove what was kept; what somebody else has put there stays."""
        with suppress(PathRefused, OSError):
            for name, _ in list_folder(self.root, (*FOLDER, folder)):
                delete_file(self.root, (*FOLDER, folder, name))
            with folder_of(self.root, FOLDER) as here:
                os.rmdir(folder, dir_fd=here)


def _entry(line: bytes) -> _Entry:
    try:
        entry = msgspec.json.decode(line, type=_Entry)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise BadRecord("what was kept of that turn is damaged: nothing was taken back") from None
    if not {b"", b".", b".."}.isdisjoint(entry.path.split(b"/")) or b"\0" in entry.path:
        raise BadRecord("what was kept of that turn names no file of the workspace: nothing was taken back")
    return entry


def _digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _safe(turn: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]", "_", turn)[:80] or "turn"
