"""Forgetting: some files, or everything, or an index that is damaged."""

from collections.abc import Callable
from pathlib import Path

from onbook.session.knowledge import schema, vectors
from onbook.session.knowledge.errors import Damaged
from onbook.session.knowledge.store import is_there, open_store
from onbook.workspace.databases import database_path, discard, set_aside


def drop(root: Path, path: str) -> list[str]:
    """Forget what was indexed at and below a path: the files that were."""
    if not is_there(root):
        return []
    below = "/".join(name for name in path.split("/") if name not in ("", ".")) or "."
    with open_store(root) as store:
        found = sorted(store.known(below))
        store.drop(found)
    return found


def drop_all(root: Path) -> list[str]:
    """Forget everything. A damaged file is moved aside, since nobody knows what is in it: the names such have then."""
    return [*_emptied(root, schema.NAME, _empty_store), *_emptied(root, vectors.NAME, _empty_vectors)]


def _emptied(root: Path, name: str, empty: Callable[[Path], None]) -> list[str]:
    path = database_path(root, name)
    if not path.exists():
        return []
    try:
        empty(root)
    except Damaged:
        return [set_aside(path).name]
    return []


def _empty_store(root: Path) -> None:
    with open_store(root) as store:
        store.check()
        store.drop_all()


def _empty_vectors(root: Path) -> None:
    if not vectors.is_installed():
        discard(database_path(root, vectors.NAME))
        return
    with vectors.open_vectors(root) as opened:
        opened.start_anew(None)
