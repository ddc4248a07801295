"""Paths to offer while one is typed: plain ones first, then the hidden, last what git ignores."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from onbook.config.places import from_home
from onbook.policy.listing import walk
from onbook.policy.paths import PathRefused, resolve
from onbook.policy.secrets import without_keys
from onbook.session.live import Live

_MOST = 1_000


def path_offers(live: Live, incomplete: str, *, only_folders: bool) -> list[tuple[str, str]]:
    """Names that go on from what was typed, folders with a `/`. To be called where no event loop runs."""
    folder, slash, typed = incomplete.rpartition("/")
    found = []
    for last, is_folder, name in _entries(live, folder + slash):
        if name.casefold().startswith(typed.casefold()) and (is_folder or not only_folders):
            path = f"{folder}{slash}{name}{'/' if is_folder else ''}"
            found.append((last, name, f"./{path}" if path.startswith("-") else path))  # it is no option
    return [(path, "") for _, _, path in sorted(found)]


def _entries(live: Live, folder: str) -> Iterator[tuple[int, bool, str]]:
    """How far back it stands, whether it is a folder, and its name, of all that lies in a folder."""
    if folder.startswith("~"):
        yield from _elsewhere(Path(from_home(folder)))
        return
    try:
        parts = resolve(live.root, folder or ".").parts
        entries = asyncio.run(walk(live.root, parts, depth=1, most=_MOST, environ=without_keys(live.environ)))
    except PathRefused:
        yield from _elsewhere(live.root / folder)
        return
    for entry in entries:
        last = 2 if entry.ignored else 1 if entry.hidden else 0
        yield last, _leads_to_folder(live.root, entry.path, entry.kind), entry.path.rpartition("/")[2]


def _leads_to_folder(root: Path, path: str, kind: str) -> bool:
    return kind == "folder" or (kind == "link" and (root / path).is_dir())


def _elsewhere(folder: Path) -> Iterator[tuple[int, bool, str]]:
    """A folder outside the workspace: its names, for the person who types, and nothing more."""
    try:
        for path in folder.iterdir():
            yield int(path.name.startswith(".")), path.is_dir(), path.name
    except (OSError, ValueError):
        return
