"""The index on disk: files, their passages and the words in them. Everything here blocks, so it runs in a thread."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from onbook.session.knowledge import schema
from onbook.session.knowledge.chunks import Chunk
from onbook.session.knowledge.errors import Damaged, in_words
from onbook.session.knowledge.words import is_glued, spaced
from onbook.workspace.databases import database_path, private_database
from onbook.workspace.tables import make_tables, transaction

WORTH_SHOWING = 0.35
"""The share of the best passage's score that another must have."""


class Indexed(msgspec.Struct, frozen=True):
    """A file, ready to be written to the index."""

    path: str
    hash: bytes
    size: int
    chunks: Sequence[Chunk]


class Passage(msgspec.Struct, frozen=True):
    """Some lines of a file, as they were when it was indexed."""

    id: int
    path: str
    first: int
    last: int
    text: str

    @property
    def cited(self) -> str:
        """`notes.md:10-24`"""
        return f"{self.path}:{self.first}" if self.first == self.last else f"{self.path}:{self.first}-{self.last}"


class Counts(msgspec.Struct, frozen=True):
    """How much there is."""

    files: int = 0
    chunks: int = 0
    bytes: int = 0


@contextmanager
def open_store(root: Path) -> Iterator["Store"]:
    """The workspace's index, made when missing."""
    path = private_database(root, schema.NAME)
    with in_words(path), closing(_connect(path)) as database:
        schema.set_up(database)
        if problem := schema.problem_with(database):
            raise Damaged(path, problem)
        make_tables(database, schema.TABLES)
        yield Store(path, database)


def is_there(root: Path) -> bool:
    """Whether anything was ever indexed here."""
    return database_path(root, schema.NAME).exists()


class Store:
    """An open index, for the thread that opened it."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self._path = path
        self._database = database

    @property
    def identity(self) -> bytes:
        """Which index this is: passages' numbers mean nothing in another."""
        return bytes(self._one("SELECT id FROM identity"))

    def counts(self) -> Counts:
        files, size = self._database.execute("SELECT count(*), total(size) FROM files").fetchone()
        return Counts(files, self._one("SELECT count(*) FROM chunks"), int(size))

    def is_empty(self) -> bool:
        return not self._one("SELECT EXISTS (SELECT 1 FROM chunks)")

    def known(self, below: str = ".") -> dict[str, bytes]:
        """The files at and below a path, and the hash of each as it was indexed."""
        if below == ".":
            return dict(self._database.execute("SELECT path, hash FROM files"))
        # "0" is the character after "/": everything that begins with "below/"
        found = "SELECT path, hash FROM files WHERE path = ? OR (path > ? AND path < ?)"
        return dict(self._database.execute(found, (below, f"{below}/", f"{below}0")))

    def write(self, files: Sequence[Indexed], moved: Sequence[tuple[str, str]] = ()) -> None:
        """Put these in place of what was known of them, or none of them. `moved` are (old, new) paths."""
        with transaction(self._database):
            for old, new in moved:
                self._forget(new)
                self._database.execute("UPDATE files SET path = ? WHERE path = ?", (new, old))
            before = self._one("SELECT coalesce(max(id), 0) FROM chunks")
            for file in files:
                self._forget(file.path)
                self._insert(file)
            # One statement, during which Python's other threads go on.
            self._database.execute(
                "INSERT INTO words (rowid, text) SELECT id, text FROM chunks WHERE id > ? AND NOT glued", (before,)
            )
            glued = self._database.execute("SELECT id, text FROM chunks WHERE id > ? AND glued", (before,))
            rows = [(number, spaced(text)) for number, text in glued]
            self._database.executemany("INSERT INTO words (rowid, text) VALUES (?, ?)", rows)

    def drop(self, paths: Sequence[str]) -> None:
        """Forget these files."""
        with transaction(self._database):
            for path in paths:
                self._forget(path)

    def drop_all(self) -> None:
        """Forget everything, and give the space back."""
        with transaction(self._database):
            self._database.execute("INSERT INTO words (words) VALUES ('delete-all')")
            self._database.execute("DELETE FROM chunks")
            self._database.execute("DELETE FROM files")
        self._database.execute("VACUUM")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def how_many(self, expression: str, most: int) -> int:
        """How many passages fit the expression, counted up to `most`."""
        found = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        return int(self._one(found, expression, most))

    def matching(self, expression: str, most: int) -> list[int]:
        """The passages that fit the expression, the best first by BM25; without those that fit far worse than it."""
        found = "SELECT rowid, bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY score LIMIT ?"
        rows = self._database.execute(found, (expression, most)).fetchall()
        return [number for number, score in rows if score <= rows[0][1] * WORTH_SHOWING]

    def some_with(self, expression: str, most: int) -> list[int]:
        """Some passages that fit the expression, in no order: for words that are nearly everywhere."""
        found = "SELECT rowid FROM words WHERE words MATCH ? LIMIT ?"
        return [number for (number,) in self._database.execute(found, (expression, most))]

    def passages(self, numbers: Sequence[int]) -> list[Passage]:
        """These passages, in this order; what is gone is left out."""
        found = (
            "SELECT chunks.id, path, first, last, text FROM chunks JOIN files ON files.id = chunks.file "
            "WHERE chunks.id IN (SELECT value FROM json_each(?))"
        )
        rows = self._database.execute(found, (msgspec.json.encode(numbers).decode(),))
        passages = {row[0]: Passage(*row) for row in rows}
        return [passages[number] for number in numbers if number in passages]

    def numbers(self) -> list[int]:
        """Every passage's number."""
        return [number for (number,) in self._database.execute("SELECT id FROM chunks")]

    def check(self) -> None:
        """Damaged when the file is broken anywhere; it is read as a whole."""
        said = str(self._one("PRAGMA quick_check(1)"))
        if said != "ok":
            raise Damaged(self._path, said)

    def _insert(self, file: Indexed) -> None:
        made = self._database.execute(
            "INSERT INTO files (path, hash, size) VALUES (?, ?, ?)", (file.path, file.hash, file.size)
        )
        rows = [(made.lastrowid, each.first, each.last, is_glued(each.text), each.text) for each in file.chunks]
        self._database.executemany("INSERT INTO chunks (file, first, last, glued, text) VALUES (?, ?, ?, ?, ?)", rows)

    def _forget(self, path: str) -> None:
        found = self._database.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        if found is None:
            return
        # The words alone are kept, so they are told apart again from the text they were made of.
        self._database.execute(
            "INSERT INTO words (words, rowid, text) SELECT 'delete', id, text FROM chunks WHERE file = ? AND NOT glued",
            found,
        )
        glued = self._database.execute("SELECT id, text FROM chunks WHERE file = ? AND glued", found)
        rows = [(number, spaced(text)) for number, text in glued]
        self._database.executemany("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", rows)
        self._database.execute("DELETE FROM chunks WHERE file = ?", found)
        self._database.execute("DELETE FROM files WHERE id = ?", found)

    def _one(self, question: str, *values: object) -> Any:
        (answer,) = self._database.execute(question, values).fetchone()
        return answer


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=schema.LOCK_SECONDS, isolation_level=None)
