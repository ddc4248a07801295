"""What can go wrong with the index, each in one line."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from onbook.outcome import OnbookError


class KnowledgeError(OnbookError):
    """The index cannot be used as it is."""


class Damaged(KnowledgeError):
    """The file is no index, or a broken one; `/rag drop` moves it aside."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{_shown(path)} cannot be read as an index ({problem}); /rag drop moves it aside, /rag add makes a new one"
        )


class InUse(KnowledgeError):
    """Somebody else is writing."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{_shown(path)} is in use by another onbook; try again when it has finished: what is done is kept"
        )


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """SQLite's errors as ours."""
    try:
        yield
    except sqlite3.Error as error:
        raise understood(path, error) from None


def understood(path: Path, error: Exception) -> KnowledgeError:
    """The sentence for an error of SQLite, by its words: they are the same whether sqlite3 or apsw raises it."""
    said = str(error)
    if any(word in said for word in ("locked", "busy")):
        return InUse(path)
    if "full" in said:
        return KnowledgeError(f"the disk is full, so {_shown(path)} is as it was before; what was indexed is kept")
    if "disk I/O" in said:
        return KnowledgeError(f"{_shown(path)} cannot be read or written: {said}; is there room on the disk?")
    if "readonly" in said or "unable to open" in said:
        return KnowledgeError(f"{_shown(path)} cannot be written: {said}")
    return Damaged(path, said)


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
