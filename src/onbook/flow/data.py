"""Data between steps: bytes behind a descriptor, in memory while they are few, never a decoded string.

Nobody has to close anything: the file of a large one lives for as long as somebody holds the data.
"""

import hashlib
import mmap
import os
import stat
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from onbook.flow.spool import Spool, SpoolFile, writing_aside

SMALL = 1 << 20
"""Up to this size data stay in memory, and in a cell of the journal."""
_PIECE = 1 << 20


class Data(ABC):
    """Some bytes. `Small` and `Large` say where they are."""

    size: int

    @property
    @abstractmethod
    def identity(self) -> str:
        """The same for the same data, also in a run that goes on tomorrow."""

    @abstractmethod
    def open(self) -> int:
        """A new descriptor at the beginning of the bytes; who asks closes it."""

    @abstractmethod
    def read(self, most: int | None = None) -> bytes:
        """All the bytes, or the first of them."""

    @abstractmethod
    def searchable(self) -> AbstractContextManager[bytes]:
        """The bytes, for a pattern to look through; a large file is only mapped, not read."""

    @abstractmethod
    def trimmed_size(self) -> int:
        """The size without the newlines at the end."""

    @abstractmethod
    def write_to(self, descriptor: int) -> None:
        """Write all the bytes there, whatever it is."""


class Small(Data):
    """Bytes in memory."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.size = len(content)
        self._identity = ""

    @property
    def identity(self) -> str:
        if not self._identity:
            self._identity = hashlib.sha256(self._content).hexdigest()
        return self._identity

    def open(self) -> int:
        if hasattr(os, "memfd_create"):
            descriptor = os.memfd_create("onbook", os.MFD_CLOEXEC)
        else:
            with tempfile.TemporaryFile() as file:
                descriptor = os.dup(file.fileno())
        write_all(descriptor, self._content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def read(self, most: int | None = None) -> bytes:
        return self._content if most is None else self._content[:most]

    @contextmanager
    def searchable(self) -> Iterator[bytes]:
        yield self._content

    def trimmed_size(self) -> int:
        return len(self._content.rstrip(b"\n"))

    def write_to(self, descriptor: int) -> None:
        write_all(descriptor, self._content)


class Large(Data):
    """Bytes in a file."""

    def __init__(self, file: SpoolFile, size: int, identity: str = "") -> None:
        self._file = file
        self.size = size
        self._identity = identity or os.urandom(16).hex()

    @property
    def identity(self) -> str:
        return self._identity

    def open(self) -> int:
        return self._file.reopened()

    def read(self, most: int | None = None) -> bytes:
        left = self.size if most is None else min(most, self.size)
        pieces: list[bytes] = []
        offset = 0
        while left > 0 and (piece := os.pread(self._file.descriptor, left, offset)):
            pieces.append(piece)
            offset += len(piece)
            left -= len(piece)
        return b"".join(pieces)

    @contextmanager
    def searchable(self) -> Iterator[bytes]:
        if not self.size:
            yield b""
            return
        with mmap.mmap(self._file.descriptor, self.size, prot=mmap.PROT_READ) as mapped:
            yield mapped  # type: ignore[misc]  # bytes to whoever slices or searches

    def trimmed_size(self) -> int:
        left = self.size
        while left:
            start = max(left - _PIECE, 0)
            kept = len(os.pread(self._file.descriptor, left - start, start).rstrip(b"\n"))
            if kept:
                return start + kept
            left = start
        return 0

    def write_to(self, descriptor: int) -> None:
        copy_range(self._file.descriptor, descriptor, 0, self.size)


class Kept(Protocol):
    """An output that the journal kept."""

    @property
    def size(self) -> int: ...

    @property
    def identity(self) -> str: ...

    @property
    def read(self) -> Callable[[], bytes] | None:
        """Gives the bytes of a small one; None for a large one."""
        ...

    @property
    def open(self) -> Callable[[], int] | None:
        """Gives a descriptor of a large one; None for a small one."""
        ...


def from_journal(kept: Kept) -> Data:
    """What an earlier run made, to go on with."""
    if kept.open is not None:
        return Large(SpoolFile(kept.open()), kept.size, kept.identity)
    return Small(kept.read() if kept.read is not None else b"")


def from_descriptor(descriptor: int, spool: Spool) -> Data:
    """Everything that comes out of it, as standard input: a plain file is used where it is, anything else is taken in
    to its end."""
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_size > SMALL and os.lseek(descriptor, 0, os.SEEK_CUR) == 0:
        return Large(SpoolFile(os.dup(descriptor)), status.st_size)
    gathering = Gathering(spool)
    while piece := os.read(descriptor, _PIECE):
        gathering.add(piece)
    return gathering.data()


class Gathering:
    """Bytes that come in pieces, in memory until they are too many for it."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._pieces: list[bytes] = []
        self._file: SpoolFile | None = None
        self.size = 0

    def add(self, piece: bytes) -> None:
        """Some more bytes."""
        self.size += len(piece)
        if self._file is None:
            self._pieces.append(piece)
            if self.size > SMALL:
                self._spill()
        else:
            with writing_aside():
                write_all(self._file.descriptor, piece)

    def add_data(self, data: Data, size: int) -> None:
        """The first bytes of some data."""
        if self.size + size <= SMALL:
            self.add(data.read(size))
            return
        source = data.open()
        try:
            self.add_range(source, 0, size)
        finally:
            os.close(source)

    def add_range(self, source: int, offset: int, size: int) -> None:
        """Some bytes of a file."""
        with writing_aside():
            copy_range(source, (self._file or self._spill()).descriptor, offset, size)
        self.size += size

    def data(self, identity: str = "") -> Data:
        """What was gathered; nothing can be added afterwards. `identity` is for what is too large to be hashed."""
        if self._file is None:
            return Small(b"".join(self._pieces))
        return Large(self._file, self.size, identity)

    def _spill(self) -> SpoolFile:
        self._file = self._spool.new()
        with writing_aside():
            write_all(self._file.descriptor, b"".join(self._pieces))
        self._pieces.clear()
        return self._file


def write_all(descriptor: int, content: bytes) -> None:
    """Every byte; a system may take them in several bites."""
    written = os.write(descriptor, content) if content else 0
    while written < len(content):
        written += os.write(descriptor, memoryview(content)[written:])


def copy_range(source: int, target: int, offset: int, size: int) -> None:
    """Bytes from one descriptor's place to another's present one, through the kernel where it can."""
    end = offset + size
    while offset < end:
        try:
            sent = os.sendfile(target, source, offset, min(end - offset, 1 << 30))
        except OSError:  # not between these two
            piece = os.pread(source, min(end - offset, _PIECE), offset)
            write_all(target, piece)
            sent = len(piece)
        if not sent:
            return
        offset += sent
