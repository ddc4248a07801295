"""One locked file that only grows: whole pieces are appended, and one that does not fit leaves no trace."""

import fcntl
import os
from pathlib import Path

from onbook.transcript.errors import SessionInUse, TranscriptError


class AppendOnlyFile:
    """An open, exclusively locked descriptor. Appending costs the same however long the file is."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._overhang = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = os.fstat(descriptor).st_size
        except OSError as error:
            os.close(descriptor)
            if isinstance(error, BlockingIOError):
                raise SessionInUse(path.stem) from None
            raise TranscriptError(f"{path}: cannot lock the session: {error.strerror}") from None

    @classmethod
    def create(cls, path: Path) -> "AppendOnlyFile":
        """A new file. An existing one is never touched."""
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise TranscriptError(f"{path}: cannot create the session: {error.strerror}") from None
        return cls(path, descriptor)

    @classmethod
    def open(cls, path: Path) -> "AppendOnlyFile":
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
        except OSError as error:
            raise TranscriptError(f"{path}: cannot open the session: {error.strerror}") from None
        return cls(path, descriptor)

    def read(self) -> bytes:
        """Everything in the file."""
        parts, offset = [], 0
        try:
            while part := os.pread(self._descriptor, 1 << 24, offset):
                parts.append(part)
                offset += len(part)
        except OSError as error:
            raise TranscriptError(f"{self.path}: cannot read the session: {error.strerror}") from None
        return b"".join(parts)

    def append(self, data: bytes, *, after: int | None = None) -> None:
        """All of `data` with one write, or nothing: a write that fails half way is cut off again.

        With `after`, what stands behind that many bytes is dropped first.
        """
        if after is not None and after < self._size:
            self._size, self._overhang = after, True
        if self._overhang:
            self._cut_back()
        try:
            done = os.write(self._descriptor, data)
            while done < len(data):  # a full disk takes a part; the next write tells the reason
                done += os.write(self._descriptor, data[done:])
        except OSError as error:
            self._overhang = True
            self._cut_back(f"could not record: {error.strerror}, and ")
            raise TranscriptError(f"{self.path}: could not record: {error.strerror}") from None
        self._size += len(data)

    def _cut_back(self, because: str = "") -> None:
        """Where even this fails it is tried again before the next write, and a reader drops the torn end."""
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError as error:
            message = f"{self.path}: {because}could not cut back the session: {error.strerror}"
            raise TranscriptError(message) from None
        self._overhang = False

    def close(self) -> None:
        """To the disk, and the lock is free again."""
        if self._descriptor < 0:
            return
        descriptor, self._descriptor = self._descriptor, -1
        try:
            os.fsync(descriptor)
        except OSError as error:
            raise TranscriptError(f"{self.path}: could not save the session: {error.strerror}") from None
        finally:
            os.close(descriptor)
