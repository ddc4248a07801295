"""The audit log: one line for every decision, each carrying the hash of the one before it.

`.onbook/audit/audit.jsonl` is only ever appended to. How far it goes and the hash of its last line are kept in
the user's state folder, out of reach of whatever works in the workspace, so that cutting off the end is found
too. No line, no effect: when the log cannot be written, the effect is refused.
"""

import fcntl
import hashlib
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from onbook.config.errors import reason
from onbook.outcome import OnbookError
from onbook.policy.effects import By, Effect
from onbook.policy.hands import list_folder
from onbook.policy.paths import FILE, Missing, PathRefused, check_regular, folder_of, opened
from onbook.policy.secrets import redact
from onbook.workspace.files import make_private
from onbook.workspace.root import PRIVATE_NAME, private_folder

if TYPE_CHECKING:
    from onbook.policy.audit_verify import Report

FOLDER = (PRIVATE_NAME, "audit")
CURRENT = "audit.jsonl"
ROTATE_AT = 4 << 20
KEEP_FILES = 20
NOTHING_BEFORE = "0" * 64


class AuditFailed(OnbookError):
    """The log could not be written, so nothing was done."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One decision, as it stands in the log."""

    v: int = 1
    seq: int
    time: float
    by: By
    effect: Effect
    verdict: str
    """`allow`, `deny`, or what was answered: `once`, `session`, `always`, `no`."""
    reason: str
    turn: str = ""
    prev: str
    """SHA-256 of the line before this one."""


class Head(msgspec.Struct, frozen=True):
    """How far the log goes."""

    seq: int = 0
    hash: str = NOTHING_BEFORE
    first: int = 1
    """Number of the first line that is still kept."""
    before: str = NOTHING_BEFORE
    """Hash of the line before that one."""


class Audit:
    """The log of one workspace."""

    def __init__(self, root: Path, state: Path, *, rotate_at: int = ROTATE_AT, keep_files: int = KEEP_FILES) -> None:
        self.root = root
        self.state = state
        name = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
        self.head_path = state / "audit" / f"{name}.head"
        self.rotate_at = rotate_at
        self._keep_files = keep_files

    def append(self, effect: Effect, by: By, verdict: str, reason: str, turn: str = "") -> Line:
        """Write one line, safely between processes; AuditFailed when that cannot be done."""
        try:
            return self._append(effect, by, verdict, reason, turn)
        except (OSError, PathRefused) as error:
            raise self.failed(error) from None

    def failed(self, error: OSError | PathRefused) -> AuditFailed:
        """The error that says why a line could not be written."""
        why = _reason(error)
        head = self.head_path.parent
        is_head = isinstance(error, OSError) and str(error.filename or "").startswith(str(head))
        place = head if is_head else self.root / "/".join(FOLDER)
        return AuditFailed(f"cannot write the audit log in {place} ({why}): nothing was done")

    def tail(self, count: int = 20) -> tuple[Line, ...]:
        """The last lines that can be read, the latest last."""
        found: list[Line] = []
        for name in reversed(self.files()):
            lines = self.read(name).splitlines()
            found = [line for raw in lines[-count:] if (line := decoded(raw)) is not None] + found
            count -= len(lines)
            if count <= 0:
                break
        return tuple(found)

    def verify(self) -> "Report":
        """What is wrong with the log, if anything."""
        from onbook.policy.audit_verify import verify

        return verify(self)

    def files(self) -> list[str]:
        """The log's files, the oldest first."""
        try:
            names = [name for name, _ in list_folder(self.root, FOLDER)]
        except PathRefused:
            return []
        rotated = sorted(name for name in names if name.startswith("audit-") and name.endswith(".jsonl"))
        return rotated + [name for name in names if name == CURRENT]

    def read(self, name: str) -> bytes:
        """The bytes of one of the log's files."""
        with opened(self.root, (*FOLDER, name)) as descriptor, os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read()

    @contextmanager
    def held(self) -> Iterator[tuple[int, Head | None]]:
        """The head, locked against other processes; None when there is none yet."""
        descriptor = self._open_head()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor, _head(os.pread(descriptor, 4096, 0))
        finally:
            os.close(descriptor)

    @contextmanager
    def held_open(self) -> Iterator[tuple[int, int, Head | None]]:
        """Head file and log, locked; and the head, or None where the log does not end as it says."""
        with self.held() as (descriptor, head), self._open_log() as log:
            last = _last_line(log)
            yield (
                descriptor,
                log,
                head if head is not None and last is not None and hash_of(last) == head.hash else None,
            )

    def _open_head(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            return os.open(self.head_path, flags, 0o600)
        except FileNotFoundError:
            make_private(self.head_path.parent)
            return os.open(self.head_path, flags, 0o600)

    def _append(self, effect: Effect, by: By, verdict: str, reason: str, turn: str) -> Line:
        with self.held() as (descriptor, known), self._open_log() as log:
            head = self._caught_up(log, known)
            if known is None:  # a disk that has no room for it must not take the line either
                _overwrite(descriptor, msgspec.json.encode(head))
            line = Line(
                seq=head.seq + 1,
                time=time.time(),
                by=by,
                effect=redacted(effect),
                verdict=verdict,
                reason=redact(reason),
                turn=turn,
                prev=head.hash,
            )
            data = msgspec.json.encode(line)
            if os.fstat(log).st_size < self.rotate_at:
                _write_line(log, data)
            else:
                head = self._rotated(head)
                with self._open_log() as fresh:
                    _write_line(fresh, data)
            head = msgspec.structs.replace(head, seq=line.seq, hash=hash_of(data))
            _overwrite(descriptor, msgspec.json.encode(head))
        return line

    @contextmanager
    def _open_log(self) -> Iterator[int]:
        """The file that is appended to; it and its folder are made where they are missing."""
        try:
            descriptor = self._log_descriptor()
        except Missing:
            private_folder(self.root)
            descriptor = self._log_descriptor(make=True)
        try:
            check_regular(os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)

    def _log_descriptor(self, *, make: bool = False) -> int:
        with folder_of(self.root, FOLDER, make=make) as folder:
            return os.open(CURRENT, os.O_RDWR | os.O_APPEND | os.O_CREAT | FILE, 0o600, dir_fd=folder)

    def _caught_up(self, log: int, known: Head | None) -> Head:
        """The head, moved on over whole lines that a killed process wrote without coming to the head."""
        last = _last_line(log)
        line = decoded(last) if last else None
        if line is None or last is None:
            return known or Head()
        if known is None:  # the workspace was moved, or the state folder was lost
            first = self._first()
            return Head(line.seq, hash_of(last), first.seq if first else 1, first.prev if first else NOTHING_BEFORE)
        if line.seq == known.seq + 1 and line.prev == known.hash:
            return msgspec.structs.replace(known, seq=line.seq, hash=hash_of(last))
        return known

    def _first(self) -> Line | None:
        """The oldest line that is still there."""
        names = self.files()
        return decoded(self.read(names[0]).partition(b"\n")[0]) if names else None

    def _rotated(self, head: Head) -> Head:
        """Put the full file aside, and drop the oldest where there are too many."""
        with folder_of(self.root, FOLDER) as folder:
            os.rename(CURRENT, f"audit-{head.seq:012d}.jsonl", src_dir_fd=folder, dst_dir_fd=folder)
            files = self.files()
            for name in files[: max(len(files) - self._keep_files, 0)]:
                last = decoded(raw := self.read(name).rstrip(b"\n").rpartition(b"\n")[2])
                os.unlink(name, dir_fd=folder)
                if last is not None:
                    head = msgspec.structs.replace(head, first=last.seq + 1, before=hash_of(raw))
        return head


def hash_of(line: bytes) -> str:
    """The hash that the next line carries."""
    return hashlib.sha256(line).hexdigest()


def decoded(raw: bytes) -> Line | None:
    """A line of the log; None when it is none."""
    try:
        return msgspec.json.decode(raw, type=Line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def redacted(effect: Effect) -> Effect:
    """The effect without keys, and as text that JSON can hold."""
    changed: dict[str, str | tuple[str, ...]] = {}
    for name in effect.__struct_fields__:
        value = getattr(effect, name)
        if isinstance(value, str):
            changed[name] = _text(value)
        elif isinstance(value, tuple):
            changed[name] = tuple(map(_text, value))
    return msgspec.structs.replace(effect, **changed)


def _text(value: str) -> str:
    return redact(value.encode("utf-8", "backslashreplace").decode())


def _write_line(log: int, data: bytes) -> None:
    """Append in one write; what could not be written whole is taken back."""
    size = os.fstat(log).st_size
    is_torn = size and os.pread(log, 1, size - 1) != b"\n"
    whole = (b"\n" if is_torn else b"") + data + b"\n"
    if os.write(log, whole) != len(whole):
        os.ftruncate(log, size)
        raise OSError(0, "the disk is full")


def _last_line(log: int) -> bytes | None:
    size = os.fstat(log).st_size
    length = 1024
    while True:
        piece = os.pread(log, length, max(size - length, 0)).rstrip(b"\n")
        if b"\n" in piece or length >= size:
            return piece.rpartition(b"\n")[2] or None
        length *= 8


def _overwrite(descriptor: int, data: bytes) -> None:
    data += b"\n"
    if os.pwrite(descriptor, data, 0) != len(data):
        raise OSError(0, "the disk is full")
    os.ftruncate(descriptor, len(data))


def _head(data: bytes) -> Head | None:
    try:
        return msgspec.json.decode(data.partition(b"\n")[0], type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _reason(error: OSError | PathRefused) -> str:
    return reason(error) if isinstance(error, OSError) else str(error)
