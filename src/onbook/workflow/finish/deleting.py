"""Deleting what a workflow made: files it knows of, and whole folders after somebody has said yes."""

import os
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from onbook.config.errors import reason
from onbook.policy.hands import delete_file
from onbook.policy.paths import Missing, PathRefused
from onbook.workflow.state.loading import FOLDER, STATE_NAME
from onbook.workspace.errors import WorkspaceError

_BEGAN = time.time()


def delete_files(root: Path, paths: Iterable[str]) -> None:
    """Files by their path from the root; one that is gone already is fine, and links on the way are not followed."""
    for path in paths:
        try:
            delete_file(root, path.split("/"))
        except Missing:
            pass
        except PathRefused as error:
            raise WorkspaceError(f"cannot delete {path}: it {error}") from None


def delete_half_written(root: Path, paths: Iterable[str]) -> None:
    """What an earlier process could not finish; one that writes at this moment is left alone."""
    old = [path for path in paths if (root / path).is_file() and (root / path).stat().st_mtime < _BEGAN]
    delete_files(root, old)


def delete_folder(folder: Path) -> None:
    """The folder and all that is in it; links in it are removed, and what they lead to stays."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise WorkspaceError(f"cannot delete {folder}: {reason(error)}") from None


def folders_below(place: Path) -> list[Path]:
    """In order; links to folders are none."""
    if not place.is_dir():
        return []
    return sorted(each for each in place.iterdir() if each.is_dir() and not each.is_symlink())


def empty_harness(root: Path) -> None:
    """Everything in `.harness/` but the state: after a kill, that is what says that it was to be deleted."""
    state = root / STATE_NAME
    try:
        for entry in (root / FOLDER).iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry != state:
                entry.unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(f"cannot delete {root / FOLDER}: {reason(error)}") from None


def remove_if_empty(folder: Path) -> None:
    """The folder, unless something is in it."""
    try:
        folder.rmdir()
    except OSError:
        pass


def count_files(folder: Path) -> int:
    """How many files are below it."""
    return sum(len(files) for _, _, files in os.walk(folder))
