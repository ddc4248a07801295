"""The audit log held open, for a run that starts many programs: opening it for each would cost more than the start.

Every line is written under the same lock, and carries the same hashes, as those of `Audit.append`. When anything is not
as this stream left it (another process wrote, the log was rotated or removed), the line goes the long way.
"""

import fcntl
import os
import time
from typing import Self

import msgspec

from onbook.policy.audit import Audit, Head, Line, hash_of, redacted
from onbook.policy.effects import By, Effect
from onbook.policy.paths import PathRefused
from onbook.policy.secrets import redact


class AuditStream:
    """`with` it around the run."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._files: tuple[int, int] | None = None
        """The head and the log, where they could be opened."""
        self._head = Head()
        self._raw = b""
        """The head's bytes as they were left."""
        self._size = 0
        """The log's size as it was left."""
        self._redacted: dict[tuple[Effect, str], tuple[Effect, str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def append(self, effect: Effect, by: By, verdict: str, reason: str, turn: str = "") -> None:
        """Write one line; AuditFailed when that cannot be done."""
        try:
            if self._files is not None and self._append(*self._files, effect, by, verdict, reason, turn):
                return
        except OSError as error:
            raise self._audit.failed(error) from None
        self._close()
        self._audit.append(effect, by, verdict, reason, turn)
        self._open()

    def _append(self, head_file: int, log: int, effect: Effect, by: By, verdict: str, reason: str, turn: str) -> bool:
        """False when the files are not as they were left."""
        fcntl.flock(head_file, fcntl.LOCK_EX)
        try:
            if not self._is_as_left(head_file, log):
                return False
            shown, why = self._without_keys(effect, reason)
            line = Line(
                seq=self._head.seq + 1,
                time=time.time(),
                by=by,
                effect=shown,
                verdict=verdict,
                reason=why,
                turn=turn,
                prev=self._head.hash,
            )
            data = msgspec.json.encode(line)
            self._write(head_file, log, data, msgspec.structs.replace(self._head, seq=line.seq, hash=hash_of(data)))
            return True
        finally:
            fcntl.flock(head_file, fcntl.LOCK_UN)

    def _is_as_left(self, head_file: int, log: int) -> bool:
        found = os.fstat(log)
        return (
            os.pread(head_file, 4096, 0) == self._raw
            and found.st_size == self._size < self._audit.rotate_at
            and found.st_nlink > 0
            and os.fstat(head_file).st_nlink > 0
        )

    def _write(self, head_file: int, log: int, data: bytes, head: Head) -> None:
        if os.write(log, data + b"\n") != len(data) + 1:
            os.ftruncate(log, self._size)
            raise OSError(0, "the disk is full")
        raw = msgspec.json.encode(head) + b"\n"
        if os.pwrite(head_file, raw, 0) != len(raw):
            raise OSError(0, "the disk is full")
        if len(raw) < len(self._raw):
            os.ftruncate(head_file, len(raw))
        self._head, self._raw = head, raw
        self._size += len(data) + 1

    def _without_keys(self, effect: Effect, reason: str) -> tuple[Effect, str]:
        known = self._redacted.get((effect, reason))
        if known is None:
            known = self._redacted[effect, reason] = redacted(effect), redact(reason)
        return known

    def _open(self) -> None:
        """Hold the files, if they agree with each other; else every line goes the long way."""
        try:
            with self._audit.held_open() as (head_file, log, head):
                if head is not None:
                    self._files = os.dup(head_file), os.dup(log)
                    self._head = head
                    self._raw = os.pread(head_file, 4096, 0)
                    self._size = os.fstat(log).st_size
                    fcntl.flock(head_file, fcntl.LOCK_UN)  # a lock lives as long as its last duplicate
        except (OSError, PathRefused):
            self._close()

    def _close(self) -> None:
        for descriptor in self._files or ():
            os.close(descriptor)
        self._files = None
