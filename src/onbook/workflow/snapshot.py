"""What has changed since a workflow began, told by content: whatever git cannot tell, or what was edited before."""

import asyncio
import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from onbook.policy.hands import read_or_none, write_bytes
from onbook.policy.names import LEFT_OUT_FOLDERS
from onbook.policy.paths import PathRefused
from onbook.workflow.artefacts import sha256_of
from onbook.workflow.repository import Repository
from onbook.workflow.work import Work
from onbook.workspace.errors import WorkspaceError

SNAPSHOT = (".harness", "snapshot.json")
_MADE_BY_TOOLS = frozenset(
    ("node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache")
)
"""Without git nobody says what is ignored; these are never somebody's work."""


async def take_snapshot(work: Work, paths: Iterable[str]) -> None:
    """Remember how these files are now, in `.harness/snapshot.json`."""
    found = {path: await asyncio.to_thread(_sha256, work.root / path) for path in paths}
    try:
        write_bytes(work.root, SNAPSHOT, msgspec.json.encode(found))
    except PathRefused as error:
        raise WorkspaceError(f"cannot write {'/'.join(SNAPSHOT)}: it {error}") from None


async def changed_since_start(work: Work) -> tuple[str, ...]:
    """The files that differ from when the workflow began, in order; `.harness/` and the results are never among them.

    With git: what differs from the commit at the start, without what differed then and is still the same.
    """
    listed = await candidates(work)
    return await asyncio.to_thread(_differing, work.root, listed, _own(work))


async def candidates(work: Work) -> tuple[str, ...]:
    """The files that can have changed, before content is looked at: git's own list, or every file there is."""
    if work.state.has_git:
        listed = await Repository(work.live.door).changed_since(work.state.base_commit)
    else:
        listed = await asyncio.to_thread(_all_files, work.root)
    return tuple(path for path in listed if not path.startswith(_own(work)))


def _own(work: Work) -> tuple[str, ...]:
    return (".harness/", ".onbook/", *((work.state.docs_path,) if work.state.docs_path else ()))


def _differing(root: Path, listed: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    before = _read(root)
    paths = sorted({*listed, *(path for path in before if not path.startswith(own))})
    return tuple(path for path in paths if _sha256(root / path) != before.get(path))


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
        return msgspec.json.decode(read_or_none(root, "/".join(SNAPSHOT)) or b"{}", type=dict[str, str | None])
    except msgspec.DecodeError:
        return {}


def _all_files(root: Path) -> tuple[str, ...]:
    found: list[str] = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _MADE_BY_TOOLS and name not in LEFT_OUT_FOLDERS)
        here = Path(folder).relative_to(root).as_posix()
        found += [name if here == "." else f"{here}/{name}" for name in sorted(files)]
    return tuple(path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace") for path in found)
