"""Writing so that a kill at any instruction leaves the old file or the new one; reading that never waits for somebody;
locks between processes."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from onbook.config.errors import reason
from onbook.workspace.errors import NotWritable, WorkspaceError

LOCK_SECONDS = 10.0


def write_atomic(path: Path, data: bytes, mode: int | None = None) -> None:
    """Replace or make `path` in one step.

    An existing file keeps its permissions unless `mode` is given; a link stays, and its target is replaced.
    """
    try:
        _replace(path.resolve() if path.is_symlink() else path, data, mode)
    except OSError as error:
        raise NotWritable(f"cannot write {path}: {reason(error)}", why=reason(error)) from None
    except RuntimeError:  # a circle of links, before Python 3.13
        raise WorkspaceError(f"cannot write {path}: its links go round in a circle") from None


def open_plain(path: Path) -> BufferedReader:
    """A regular file, open for reading; links are followed. OSError for anything else that may stand there: a pipe is
    waited for, a device has no end."""
    _check_plain(path.stat())  # opening a device may already do something
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check_plain(os.fstat(descriptor))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_plain(path: Path) -> bytes:
    """All that is in a regular file; OSError as of `open_plain`."""
    with open_plain(path) as file:
        return file.read()


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, all for the user alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


@contextmanager
def locked(path: Path, *, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold `path` against other processes and threads, by a lock file beside it (`path` with `.lock`)."""
    import filelock

    lock = filelock.FileLock(path.with_name(f"{path.name}.lock"), timeout=seconds, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise WorkspaceError(
            f"{path} is in use by another onbook (waited {seconds:g} s); try again when it has finished"
        ) from None
    except OSError as error:
        raise NotWritable(f"cannot lock {path}: {reason(error)}", why=reason(error)) from None
    except NotImplementedError:
        raise WorkspaceError(f"cannot lock {path}: the file system has no locks") from None
    try:
        yield
    finally:
        lock.release()


def _check_plain(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    if mode is None:
        mode = _permissions(target)
    temporary = target.with_name(f".onbook-{os.urandom(8).hex()}.tmp")
    # Made with the fewest permissions that lead to the wanted ones; a new file's are the umask's business.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _permissions(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except FileNotFoundError:
        return None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems cannot; the rename has happened all the same
            raise
    finally:
        os.close(descriptor)
