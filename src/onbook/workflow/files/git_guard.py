"""What decides what git runs, its settings and its hooks, is put back when somebody else's program has changed it.

A person's own hooks run with the commit at the end. One that a program has planted meanwhile must not, and neither must
a setting that lets `git diff` run something.
"""

import asyncio
import os
import stat
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from onbook.config.errors import reason
from onbook.workflow.files.git_memory import Entry, GitMemory
from onbook.workflow.files.repository import GitPlaces
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import write_atomic

_SETTINGS = ("config", "config.worktree", "commondir", "info/attributes")


class GitGuard:
    """Programs that work at the same time share what was there before the first of them began."""

    def __init__(self, memory: GitMemory) -> None:
        self._memory = memory
        self._turn = asyncio.Lock()
        self._working = 0
        self._known: tuple[GitPlaces, dict[Path, Entry]] | None = None

    @asynccontextmanager
    async def watching(self, places: GitPlaces) -> AsyncIterator[list[Path]]:
        """While a program works. Afterwards the list has what it had changed, and what is as it was again.

        The places are those of the first program: to a later one, git may name others that the first has set.
        """
        async with self._turn:
            if self._known is None:
                self._known = places, await asyncio.to_thread(_look, places)
                await asyncio.to_thread(self._memory.keep, *self._known)
            known = self._known
            self._working += 1
        changed: list[Path] = []
        try:
            yield changed
        finally:
            async with self._turn:
                self._working -= 1
                changed += await asyncio.to_thread(_put_back, *known)
                if not self._working:
                    self._known = None
                    await asyncio.to_thread(self._memory.forget)


def put_back_remembered(memory: GitMemory) -> dict[Path, Path | None]:
    """What differs from what was there before a program that was killed together with onbook, and where a copy of it is
    kept now; all of it is as it was again."""
    known = memory.recall()
    if known is None:
        return {}
    before, now = dict(known.before), _look(known.places)
    differing = {path: entry for path, entry in now.items() if entry != before.get(path)}
    kept = {path: memory.set_aside(path, content) for path, (kind, _, content) in differing.items() if kind == "file"}
    changed = _put_back(known.places, before)
    memory.forget()
    return {path: kept.get(path) for path in changed}


def _look(places: GitPlaces) -> dict[Path, Entry]:
    settings = (folder / name for folder in places.folders for name in _SETTINGS)
    hooks = () if places.hooks_are_files_of_the_project else _below(places.hooks)
    paths = (*settings, *places.links, *hooks)
    return {path: entry for path in paths if (entry := _entry(path)) is not None}


def _below(folder: Path) -> Iterator[Path]:
    """The folder first, so that it is there again before what is in it; links are not followed."""
    yield folder
    if not folder.is_symlink():
        for parent, folders, files in os.walk(folder):
            yield from (Path(parent, name) for name in (*folders, *files))


def _entry(path: Path) -> Entry | None:
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            return "link", 0, os.fsencode(path.readlink())
        if stat.S_ISREG(found.st_mode):
            return "file", stat.S_IMODE(found.st_mode), path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return ("folder" if stat.S_ISDIR(found.st_mode) else "other"), 0, b""


def _put_back(places: GitPlaces, before: dict[Path, Entry]) -> list[Path]:
    changed = []
    for path in dict.fromkeys((*before, *_look(places))):
        was = before.get(path)
        if _entry(path) == was:
            continue
        changed.append(path)
        if was is None and path in places.links:
            raise WorkspaceError(f"{path} makes this another git repository; look at it and remove it")
        try:
            _restore(path, was)
        except OSError as error:
            raise WorkspaceError(f"{path} was changed and cannot be put back: {reason(error)}; look at it") from None
    return changed


def _restore(path: Path, was: Entry | None) -> None:
    """An empty folder that was not there before does no harm; where a folder stands in place of something, it stays and
    that is an error."""
    now = _entry(path)
    if now is not None and now[0] != "folder":
        path.unlink()
    if was is None:
        return
    kind, mode, content = was
    if kind == "folder":
        path.mkdir(parents=True, exist_ok=True)
    elif kind == "link":
        path.symlink_to(os.fsdecode(content))
    elif kind == "file":
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content, mode=mode)
