"""What has changed since a workflow began, told by content: whatever git cannot tell, or what was edited before."""

import asyncio
import hashlib
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from onbook.policy.hands import list_folder, read_or_none
from onbook.policy.names import LEFT_OUT_FOLDERS, is_half_written
from onbook.policy.paths import PathRefused
from onbook.workflow.files.artefacts import sha256_of
from onbook.workflow.files.repository import Repository
from onbook.workflow.files.writing import write_own
from onbook.workflow.work import Work

SNAPSHOT = ".harness/snapshot.json"
MADE_BY_TOOLS = frozenset(
    ("node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache")
)
"""Without git nobody says what is ignored; these are never somebody's work."""


async def take_snapshot(work: Work, paths: Iterable[str]) -> None:
    """Remember how these files are now, in `.harness/snapshot.json`."""
    found = {path: await asyncio.to_thread(_sha256, work.root / path) for path in paths}
    write_own(work.root, SNAPSHOT, msgspec.json.encode(found))


async def changed_since_start(work: Work) -> tuple[str, ...]:
    """The files that differ from when the workflow began, in order; `.harness/` and the results are never among them.

    With git: what differs from the commit at the start, without what differed then and is still the same.
    """
    listed = await candidates(work)
    return await asyncio.to_thread(_differing, work.root, listed, _own(work))


async def candidates(work: Work) -> tuple[str, ...]:
    """The files that can have changed, before content is looked at: git's own list, or every file there is."""
    own = _own(work)
    return tuple(path for path in await _listed(work) if not path.startswith(own) and not _is_leftover(path))


async def half_written(work: Work) -> tuple[str, ...]:
    """What a kill in the middle of writing left beside the file that was meant, and nobody will finish."""
    folder = work.state.docs_path.rstrip("/").split("/")
    results = ("/".join((*folder, name)) for name, _ in _entries(work.root, folder))  # git may ignore them all
    return tuple(sorted({path for path in (*await _listed(work), *results) if _is_leftover(path)}))


async def _listed(work: Work) -> tuple[str, ...]:
    if work.state.has_git:
        return await Repository(work.live.door).changed_since(work.state.base_commit)
    return await asyncio.to_thread(_all_files, work.root)


def _is_leftover(path: str) -> bool:
    return is_half_written(path.rpartition("/")[2])


def _own(work: Work) -> tuple[str, ...]:
    return (".harness/", ".onbook/", *((work.state.docs_path,) if work.state.docs_path else ()))


def _differing(root: Path, listed: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    before = _read(root)
    paths = sorted({*listed, *(path for path in before if not path.startswith(own))})
    return tuple(path for path in paths if path not in before or _sha256(root / path) != before[path])


def _sha256(path: Path) -> str | None:
    """Of the content; of a link, of where it leads; None for what is not there or cannot be read."""
    try:
        if path.is_symlink():
            return hashlib.sha256(os.fsencode(path.readlink())).hexdigest()
    except OSError:
        return None
    return sha256_of(path)


def _read(root: Path) -> dict[str, str | None]:
    try:
        return msgspec.json.decode(read_or_none(root, SNAPSHOT) or b"{}", type=dict[str, str | None])
    except msgspec.DecodeError:
        return {}


def _all_files(root: Path) -> tuple[str, ...]:
    found: list[str] = []
    folders: list[tuple[str, ...]] = [()]
    while folders:
        parts = folders.pop()
        for name, status in _entries(root, parts):
            if not stat.S_ISDIR(status.st_mode):
                found.append("/".join((*parts, name)))
            elif name not in MADE_BY_TOOLS and name not in LEFT_OUT_FOLDERS:
                folders.append((*parts, name))
    return tuple(sorted(os.fsencode(path).decode("utf-8", "backslashreplace") for path in found))


def _entries(root: Path, parts: Sequence[str]) -> list[tuple[str, os.stat_result]]:
    try:
        return list_folder(root, parts)
    except PathRefused:  # gone in the meantime, or not ours to look into
        return []
