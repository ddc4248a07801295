"""Files without a name in the workspace's private folder: where data lie that are too large for memory.

On Linux they never have a name, so that not even a killed process leaves one behind. Where the system cannot do
that, each has a name with the process's number in it for as long as it is open, and the next run removes what dead
processes left.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from onbook.config.errors import reason
from onbook.policy.paths import FILE, PathRefused, folder_of
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.root import PRIVATE_NAME, private_folder

_FOLDER = (PRIVATE_NAME, "tmp")
_NAMELESS: int = getattr(os, "O_TMPFILE", 0)
_CANNOT = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT)


class SpoolFile:
    """An open file that is gone once nobody holds it."""

    __slots__ = ("_folder", "descriptor", "name")

    def __init__(self, descriptor: int, name: str = "", folder: int = -1) -> None:
        self.descriptor = descriptor
        self.name = name
        """Empty where it has none."""
        self._folder = folder

    def reopened(self) -> int:
        """Another descriptor of it, for reading, at its beginning."""
        if self.name:
            return os.open(self.name, os.O_RDONLY | FILE, dir_fd=self._folder)
        return os.open(f"/proc/self/fd/{self.descriptor}", os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        os.close(self.descriptor)
        if self.name:
            with suppress(OSError):
                os.unlink(self.name, dir_fd=self._folder)
            os.close(self._folder)


@contextmanager
def writing_aside() -> Iterator[None]:
    """Around every write of ours into such a file: a full disk is said as what it is."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"cannot write to {'/'.join(_FOLDER)}: {reason(error)}") from None


class Spool:
    """Makes such files for one run."""

    def __init__(self, root: Path) -> None:
        private_folder(root)
        try:
            with folder_of(root, _FOLDER, make=True) as folder:
                self._folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        except (PathRefused, OSError) as error:
            why = reason(error) if isinstance(error, OSError) else error
            raise WorkspaceError(f"cannot write below {root / PRIVATE_NAME}: {why}") from None
        self._nameless = _NAMELESS
        self._sweep()

    def new(self) -> SpoolFile:
        """An empty file, for reading and writing."""
        try:
            if self._nameless:
                return self._without_name()
            return self._with_name()
        except OSError as error:
            raise WorkspaceError(f"cannot make a temporary file in {'/'.join(_FOLDER)}: {reason(error)}") from None

    def _without_name(self) -> SpoolFile:
        try:
            return SpoolFile(os.open(".", self._nameless | os.O_RDWR | os.O_CLOEXEC, 0o600, dir_fd=self._folder))
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
            self._nameless = 0
            return self._with_name()

    def _with_name(self) -> SpoolFile:
        name = f"{os.getpid()}-{os.urandom(8).hex()}"
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | FILE, 0o600, dir_fd=self._folder)
        return SpoolFile(descriptor, name, os.dup(self._folder))

    def _sweep(self) -> None:
        """Remove what dead processes left behind."""
        for name in os.listdir(self._folder):  # noqa: PTH208 - a descriptor, which no link can lead away
            owner = name.partition("-")[0]
            if owner.isdigit() and not _lives(int(owner)):
                with suppress(OSError):
                    os.unlink(name, dir_fd=self._folder)

    def __del__(self) -> None:
        if hasattr(self, "_folder"):
            os.close(self._folder)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True
