"""Large data that are a file of the user's, as an input often is: remembered where they are, not copied."""

import os
import stat
import sys
from pathlib import Path

from onbook.workspace.root import PRIVATE_NAME


def users_file(descriptor: int, root: Path) -> str:
    """The file's path, with a stamp of its state before it; empty when it has no name, or is one of onbook's own."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or not found.st_nlink:
        return ""
    path = _path_of(descriptor)
    is_ours = path.is_relative_to(root / PRIVATE_NAME)
    return "" if is_ours or not str(path).isprintable() else f"{_stamp(found)} {path}"


def open_unchanged(place: str) -> int | None:
    """A descriptor of the file that `users_file` spoke of; None when it is not what it was."""
    stamp, _, path = place.partition(" ")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    if _stamp(os.fstat(descriptor)) == stamp:
        return descriptor
    os.close(descriptor)
    return None


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_dev}:{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"


def _path_of(descriptor: int) -> Path:
    if sys.platform == "darwin":
        import fcntl

        return Path(os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0")))
    return Path(f"/proc/self/fd/{descriptor}").readlink()
