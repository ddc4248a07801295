"""What the door does with files once it was decided: read, write, remove, list, all below a descriptor."""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from onbook.config.errors import reason
from onbook.policy.paths import FILE, IsFolder, Missing, PathRefused, check_regular, folder_of, opened, resolve

PIECE = 1 << 20


class Entry(msgspec.Struct, frozen=True):
    """One thing in a folder."""

    path: str
    """Relative to the workspace."""
    kind: str
    """`file`, `folder`, `link` or `other`."""
    size: int = 0
    hidden: bool = False
    ignored: bool = False
    """Whether git ignores it."""
    secret: bool = False
    """Whether models may not read it."""


def read_bytes(root: Path, parts: Sequence[str], limit: int | None = None) -> bytes:
    """The first `limit` bytes of a file, all of them when None."""
    with opened(root, parts) as descriptor:
        return _drain(descriptor, limit)


def read_anywhere(path: Path, limit: int | None = None) -> bytes:
    """A plain file outside the workspace, by the very path a person typed."""
    try:
        check_regular(path.stat())
        descriptor = os.open(path, os.O_RDONLY | FILE & ~os.O_NOFOLLOW)
    except FileNotFoundError:
        raise Missing from None
    except OSError as error:
        raise PathRefused(f"cannot be opened: {reason(error)}") from None
    try:
        check_regular(os.fstat(descriptor))
        return _drain(descriptor, limit)
    finally:
        os.close(descriptor)


def read_or_none(root: Path, text: str, limit: int | None = None) -> bytes | None:
    """A file's bytes where it can be read inside the fence; None for whatever reason it cannot."""
    try:
        return read_bytes(root, resolve(root, text).parts, limit)
    except PathRefused:
        return None


def file_mode(root: Path, parts: Sequence[str]) -> int | None:
    """The permissions of the plain file at `parts`; None when nothing is there. Anything else is refused."""
    if not parts:
        raise IsFolder
    try:
        with folder_of(root, parts[:-1]) as folder:
            status = os.stat(parts[-1], dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, Missing):
        return None
    except OSError as error:
        raise PathRefused(f"cannot be looked at: {reason(error)}") from None
    check_regular(status)
    return stat.S_IMODE(status.st_mode)


def write_bytes(root: Path, parts: Sequence[str], data: bytes, mode: int | None = None) -> None:
    """Replace or make the file in one step; folders on the way are made. A file keeps its permissions."""
    if not parts:
        raise IsFolder
    mode = file_mode(root, parts) if mode is None else mode
    with folder_of(root, parts[:-1], make=True) as folder, _written():
        _replace(folder, parts[-1], data, mode)


def delete_file(root: Path, parts: Sequence[str]) -> None:
    """Remove a plain file."""
    if file_mode(root, parts) is None:
        raise Missing
    with folder_of(root, parts[:-1]) as folder, _written():
        os.unlink(parts[-1], dir_fd=folder)


def list_folder(root: Path, parts: Sequence[str]) -> list[tuple[str, os.stat_result]]:
    """Names and what they are, in order; links are not followed."""
    with folder_of(root, parts) as folder:
        try:
            readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
        except OSError as error:
            raise PathRefused(f"cannot be listed: {reason(error)}") from None
        try:
            return sorted(_statuses(readable), key=lambda found: found[0])
        finally:
            os.close(readable)


def kind_word(status: os.stat_result) -> str:
    """`file`, `folder`, `link` or `other`."""
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(status.st_mode), "other")


def _statuses(folder: int) -> Iterator[tuple[str, os.stat_result]]:
    for name in os.listdir(folder):
        try:
            yield name, os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:  # gone in the meantime
            continue


def _drain(descriptor: int, limit: int | None) -> bytes:
    pieces: list[bytes] = []
    left = limit
    while left is None or left > 0:
        try:
            piece = os.read(descriptor, PIECE if left is None else min(PIECE, left))
        except OSError as error:
            raise PathRefused(f"cannot be read: {reason(error)}") from None
        if not piece:
            break
        pieces.append(piece)
        left = left if left is None else left - len(piece)
    return b"".join(pieces)


def _replace(folder: int, name: str, data: bytes, mode: int | None) -> None:
    temporary = f".onbook-{os.urandom(8).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | FILE
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600, dir_fd=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        _unlink(temporary, folder)
        raise
    _sync(folder)


def _sync(folder: int) -> None:
    try:
        descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except OSError:  # a folder that may be entered and not listed
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def _unlink(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        pass


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except IsADirectoryError:
        raise IsFolder from None
    except OSError as error:
        raise PathRefused(f"cannot be written: {reason(error)}") from None
