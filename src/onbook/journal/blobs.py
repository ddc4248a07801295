"""Large outputs, each a file under `.onbook/blobs/`: taken over from the finished temp file where that can be."""

import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from onbook.policy.paths import FILE
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.root import PRIVATE_NAME, private_folder

FOLDER = "blobs"
_IDENTITY = re.compile(r"[0-9a-f]{16,64}")
"""What can be a blob's name: rows of a journal that came with a cloned repository may say anything."""


class Blobs:
    """The folder, held open: what another process puts in its place meanwhile changes nothing.

    Blobs are not synced to the disk, as the journal's rows are not: after a power cut one may be shorter than its row
    says, and then it counts as missing.
    """

    def __init__(self, root: Path) -> None:
        self.path = root / PRIVATE_NAME / FOLDER
        self._root = root
        self._folder: int | None = None

    def keep(self, descriptor: int, identity: str, size: int) -> None:
        """Make what stands behind the descriptor a file here, under its identity. What went through several steps
        unchanged is kept once."""
        folder = self._made()
        known = self.open(identity, size)
        if known is not None:
            os.close(known)
            return
        _unlink(folder, identity)  # what an earlier try left, which was killed
        try:
            # A file without a name gets one. Only with a folder's descriptor does Python follow the link in /proc.
            os.link(f"/proc/self/fd/{descriptor}", identity, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=True)
        except OSError:  # on another file system, or without /proc
            _copy(descriptor, folder, identity)

    def open(self, identity: str, size: int) -> int | None:
        """A descriptor to read the blob from its beginning; None when it is gone, or not whole."""
        folder = self._found()
        if folder is None or not _IDENTITY.fullmatch(identity):
            return None
        try:
            descriptor = os.open(identity, os.O_RDONLY | FILE, dir_fd=folder)
        except OSError:
            return None
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_size == size:
            return descriptor
        os.close(descriptor)
        return None

    def bytes(self) -> int:
        """What all of them take."""
        return sum(size for _, size, _ in self._files())

    def remove(self, identities: Iterable[str]) -> None:
        """Delete these; those that are gone already do not matter."""
        folder = self._found()
        for identity in identities:
            if folder is not None and _IDENTITY.fullmatch(identity):
                _unlink(folder, identity)

    def remove_orphans(self, known: Iterable[str], before: float) -> None:
        """Delete what no row speaks of and nobody can be about to write down: a kill may have come in between."""
        kept = set(known)
        self.remove(name for name, _, changed in list(self._files()) if name not in kept and changed < before)

    def close(self) -> None:
        if self._folder is not None:
            os.close(self._folder)
            self._folder = None

    def _files(self) -> Iterator[tuple[str, int, float]]:
        """Name, size and time of last change of each."""
        folder = self._found()
        if folder is None:
            return
        for name in os.listdir(folder):  # noqa: PTH208 - of a descriptor
            try:
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                continue
            yield name, found.st_size, found.st_ctime

    def _made(self) -> int:
        """The folder, made when missing."""
        folder = self._found()
        if folder is None:
            (private_folder(self._root) / FOLDER).mkdir(mode=0o700, exist_ok=True)
            folder = self._found()
        if folder is None:
            raise WorkspaceError(f"{self.path} was removed while it was in use")
        return folder

    def _found(self) -> int | None:
        """The folder, if there is one. A cloned repository may have put a link in its place: refused."""
        if self._folder is None:
            try:
                self._folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
            except OSError:
                raise WorkspaceError(f"{self.path} is a link or no folder; remove it and try again") from None
        return self._folder


def _copy(source: int, folder: int, name: str) -> None:
    """Whole, or not there."""
    target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE, 0o600, dir_fd=folder)
    try:
        with os.fdopen(target, "wb") as writer, os.fdopen(source, "rb", closefd=False) as reader:
            shutil.copyfileobj(reader, writer, 1 << 20)
    except BaseException:
        _unlink(folder, name)
        raise


def _unlink(folder: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
