"""The fence: whatever the text of a path, nothing outside the root is ever opened.

A path is used in two steps. `resolve` follows links, one name at a time, and gives the place the path really
means, as plain names below the root, or says that it leads out. The decision is made about that place. Then
`opened` walks there from a descriptor of the root, name by name, and follows nothing: a folder that was swapped
for a link between the two steps stops the walk.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from onbook.config.errors import reason
from onbook.config.places import from_home
from onbook.outcome import OnbookError
from onbook.policy.effects import one_line

MOST_NAMES = 256
MOST_LINKS = 40
FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class PathRefused(OnbookError):
    """A path that leads out of the workspace, or that no file may have; the words follow the path's name."""


class Missing(PathRefused):
    """Nothing is there."""

    def __init__(self) -> None:
        super().__init__("does not exist")


class IsFolder(PathRefused):
    """A folder stands where a file is wanted."""

    def __init__(self) -> None:
        super().__init__("is a folder, not a file")


class Place(msgspec.Struct, frozen=True):
    """Where a path really leads: names below the root, without links, `.` or `..`."""

    parts: tuple[str, ...]
    exists: bool

    @property
    def text(self) -> str:
        """The place as text, relative to the root."""
        return "/".join(self.parts) or "."


def resolve(root: Path, text: str, base: Sequence[str] = ()) -> Place:
    """The place below `root` that `text` means (relative ones from `base`); PathRefused when there is none."""
    waiting = _names(root, text, base)
    with root_descriptor(root) as top, _Position(top) as here:
        links = 0
        while waiting:
            name = waiting.pop(0)
            if name == "..":
                here.up()
            elif (target := _link(name, here.folder)) is not None:
                links += 1
                waiting = [*_link_names(root, target), *waiting]
                if links > MOST_LINKS or len(waiting) > MOST_NAMES:
                    raise PathRefused("goes round in a circle of links")
                if target.startswith("/"):
                    here.move([])
            elif not waiting:
                return Place((*here.parts, name), _is_there(name, here.folder))
            elif not here.down(name):
                return Place((*here.parts, name, *_plain(waiting)), exists=False)
        return Place(tuple(here.parts), exists=True)


@contextmanager
def root_descriptor(root: Path) -> Iterator[int]:
    """The root, opened; it is the user's own choice, so links in its path are followed."""
    try:
        descriptor = os.open(root, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise PathRefused(f"cannot be reached: the workspace {root}: {reason(error)}") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def folder_of(root: Path, parts: Sequence[str], *, make: bool = False) -> Iterator[int]:
    """A descriptor of the folder at `parts`, reached without following anything; made when missing, if `make`."""
    with root_descriptor(root) as top:
        descriptor = _walk(top, parts, make=make)
        try:
            yield descriptor
        finally:
            os.close(descriptor)


@contextmanager
def opened(root: Path, parts: Sequence[str]) -> Iterator[int]:
    """A regular file at `parts`, open for reading; anything else (folder, link, FIFO, device) is refused."""
    if not parts:
        raise IsFolder
    with folder_of(root, parts[:-1]) as folder:
        with _sentences():
            check_regular(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False))
            descriptor = os.open(parts[-1], os.O_RDONLY | FILE, dir_fd=folder)
        try:
            check_regular(os.fstat(descriptor))
            yield descriptor
        finally:
            os.close(descriptor)


def check_regular(status: os.stat_result) -> None:
    """PathRefused for whatever is not a plain file: opening it could hang, or do something."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        raise IsFolder
    kinds = {
        stat.S_IFLNK: "became a link while it was looked at",
        stat.S_IFIFO: "is a pipe, not a file",
        stat.S_IFSOCK: "is a socket, not a file",
    }
    raise PathRefused(kinds.get(stat.S_IFMT(mode), "is a device, not a file"))


class _Position:
    """A folder below the root: its names, and a descriptor of it. Going up means walking down anew."""

    def __init__(self, top: int) -> None:
        self.parts: list[str] = []
        self._top = top
        self.folder = os.dup(top)

    def __enter__(self) -> "_Position":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.folder)

    def up(self) -> None:
        if not self.parts:
            raise PathRefused("leads out of the workspace")
        self.move(self.parts[:-1])

    def move(self, parts: list[str]) -> None:
        folder = _walk(self._top, parts)
        os.close(self.folder)
        self.folder, self.parts = folder, parts

    def down(self, name: str) -> bool:
        """Into the folder of that name; False when there is none."""
        folder = _enter(name, self.folder)
        if folder is None:
            return False
        os.close(self.folder)
        self.folder = folder
        self.parts.append(name)
        return True


def _names(root: Path, text: str, base: Sequence[str]) -> list[str]:
    if not text:
        raise PathRefused("is empty")
    if any(ord(ch) < 32 or 127 <= ord(ch) < 160 or ch in "\u2028\u2029" for ch in text):
        raise PathRefused("has control characters in its name")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise PathRefused("is not a name that a file can have") from None
    if text.startswith("~"):
        text = from_home(text)
        if text.startswith("~"):
            raise PathRefused("leads out of the workspace")
    names = _below(root, text) if text.startswith("/") else [*base, *_split(text)]
    if len(names) > MOST_NAMES:
        raise PathRefused("is too deep")
    return names


def _below(root: Path, text: str) -> list[str]:
    """The names of an absolute path below the root, under the root's own name or its real one."""
    names = _split(text)
    for top in (root, root.resolve()):
        start = _split(str(top))
        if names[: len(start)] == start:
            return names[len(start) :]
    raise PathRefused("lies outside the workspace")


def _link_names(root: Path, target: str) -> list[str]:
    if not target.startswith("/"):
        return _split(target)
    try:
        return _below(root, target)
    except PathRefused:
        raise PathRefused(f"is a link that leads out of the workspace, to {one_line(target)}") from None


def _split(text: str) -> list[str]:
    return [name for name in text.split("/") if name not in ("", ".")]


def _plain(waiting: Sequence[str]) -> Sequence[str]:
    if ".." in waiting:
        raise PathRefused("goes up from a folder that does not exist")
    return waiting


def _link(name: str, folder: int) -> str | None:
    """What the name points to; None when it is no link."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT):
            return None
        raise PathRefused(f"cannot be reached: {reason(error)}") from None


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def _enter(name: str, folder: int) -> int | None:
    """The folder of that name; None when there is none."""
    try:
        return os.open(name, FOLDER, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PathRefused(f"cannot be reached: {_why(error)}") from None


def _walk(top: int, parts: Sequence[str], *, make: bool = False) -> int:
    here = os.dup(top)
    try:
        for name in parts:
            if make:
                _make(name, here)
            with _sentences():
                found = os.open(name, FOLDER, dir_fd=here)
            os.close(here)
            here = found
    except BaseException:
        os.close(here)
        raise
    return here


def _make(name: str, folder: int) -> None:
    try:
        os.mkdir(name, dir_fd=folder)
    except FileExistsError:
        pass
    except OSError as error:
        raise PathRefused(f"cannot be made: {reason(error)}") from None


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise Missing from None
    except OSError as error:
        raise PathRefused(f"cannot be opened: {_why(error)}") from None


def _why(error: OSError) -> str:
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        return "a file or a link stands where a folder should be"
    return reason(error)
