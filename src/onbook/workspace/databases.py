"""Where SQLite files of the workspace stand: in `.onbook/`, for the user alone, never behind a planted link."""

import os
import time
from pathlib import Path

from onbook.config.errors import reason
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import open_plain
from onbook.workspace.root import PRIVATE_NAME, private_folder

_COMPANIONS = ("", "-wal", "-shm", "-journal")


def database_path(root: Path, name: str) -> Path:
    """Where the database stands, whether or not it is there."""
    return root / PRIVATE_NAME / name


def private_database(root: Path, name: str) -> Path:
    """The database's file, made empty when missing. A cloned repository may have put links in its place: refused."""
    path = private_folder(root) / name
    for each in _with_companions(path):
        if each.is_symlink():
            raise WorkspaceError(f"{each} is a link, and databases are not written through links; remove it")
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600))
        open_plain(path).close()  # SQLite would wait for a pipe
    except OSError as error:
        raise WorkspaceError(f"cannot open {path}: {reason(error)}") from None
    return path


def set_aside(path: Path) -> Path:
    """Move a damaged database out of the way, with its journals; nothing of it is lost."""
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}")
    try:
        for old, new in zip(_with_companions(path), _with_companions(aside), strict=True):
            if os.path.lexists(old):
                old.rename(new)
    except OSError as error:
        raise WorkspaceError(f"cannot move {path} aside: {reason(error)}") from None
    return aside


def discard(path: Path) -> None:
    """Delete a database that can be made again, with its journals."""
    try:
        for each in _with_companions(path):
            each.unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(f"cannot remove {path}: {reason(error)}") from None


def _with_companions(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _COMPANIONS]
