"""Which folder is the workspace, and onbook's private folder inside it."""

import errno
import os
import stat
from pathlib import Path

from onbook.config.errors import reason
from onbook.config.places import SETTINGS_NAME
from onbook.outcome import UsageError
from onbook.workspace.errors import NotWritable, WorkspaceError
from onbook.workspace.files import write_atomic

PRIVATE_NAME = ".onbook"


def find_root(start: Path, explicit: Path | None = None) -> Path:
    """`--workspace`, else the nearest folder upwards with `onbook.toml` or `.git`, else `start`."""
    if explicit is not None:
        return _existing_folder(explicit if explicit.is_absolute() else start / explicit, explicit)
    start = _existing_folder(start, start)
    for folder in (start, *start.parents):
        if any(_is_there(folder / mark) for mark in (SETTINGS_NAME, ".git")):
            return folder
    return start


def private_folder(root: Path) -> Path:
    """`.onbook/` in the workspace, made when missing, for the user alone and out of git's sight."""
    return _make_private(root, root / PRIVATE_NAME)


def sessions_path(root: Path) -> Path:
    """Where sessions are recorded, whether or not any were."""
    return root / PRIVATE_NAME / "sessions"


def sessions_folder(root: Path) -> Path:
    """`.onbook/sessions/`, made when missing."""
    private_folder(root)
    return _make_private(root, sessions_path(root))


def _existing_folder(folder: Path, named: Path) -> Path:
    try:
        resolved = folder.resolve(strict=True)
        if not resolved.is_dir():
            raise UsageError(f"workspace {named} is a file, not a folder")
    except FileNotFoundError:
        raise UsageError(f"workspace {named} does not exist") from None
    except (OSError, RuntimeError) as error:  # RuntimeError: a circle of links, before Python 3.13
        why = reason(error) if isinstance(error, OSError) else "its links go round in a circle"
        raise UsageError(f"workspace {named} cannot be used: {why}") from None
    return resolved


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _make_private(root: Path, folder: Path) -> Path:
    """A folder that a cloned repository cannot have turned into a link to somewhere else."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if not folder.resolve().is_relative_to(root.resolve()):
            raise WorkspaceError(f"{folder} is a link that leads out of the workspace; remove it and try again")
        _close_to_others(folder)
        if folder.name == PRIVATE_NAME:
            _ignore_everything(folder / ".gitignore")
    except OSError as error:
        why = reason(error)
        sentence = f"cannot write to {folder}: {why}; choose another folder with --workspace"
        raise NotWritable(sentence, why=why) from None
    return folder


def _close_to_others(folder: Path) -> None:
    """One that came with a cloned repository is open to everybody on the machine."""
    found = folder.stat()
    if found.st_mode & 0o077 and found.st_uid == os.getuid():
        folder.chmod(0o700)


def _ignore_everything(gitignore: Path) -> None:
    """All or nothing: an empty one, which a full disk may have left, would let git take the transcripts."""
    try:
        found = gitignore.lstat()
    except FileNotFoundError:
        pass
    else:
        if stat.S_ISFIFO(found.st_mode):
            raise OSError(errno.EINVAL, f"{gitignore.name} in it is a pipe, for which git would wait")
        if found.st_size or not stat.S_ISREG(found.st_mode):  # a planted link is not followed
            return
    write_atomic(gitignore, b"*\n")
