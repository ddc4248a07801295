"""Passages as vectors, in a file of their own: `sqlite-vec` compares them, and only `apsw` can load it everywhere.

A file of their own, because two copies of SQLite in one process must not share one: closing it in either would drop the
other's locks. Everything in it can be made again from the index, which it knows by its identity.
"""

import array
import math
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from onbook.models.embeddings import Vector
from onbook.outcome import UsageError
from onbook.session.knowledge.errors import Damaged, understood
from onbook.session.knowledge.schema import LOCK_SECONDS
from onbook.workspace.databases import private_database

NAME = "vectors.sqlite"
COMPARED = 128
"""So many passages with the most similar signs are compared exactly: a hundredth of the work, nearly the same order."""

_TABLES = """
CREATE TABLE IF NOT EXISTS origin (model TEXT NOT NULL, length INTEGER NOT NULL, knowledge BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS signs (id INTEGER PRIMARY KEY, sign BLOB NOT NULL);
"""


class Origin(msgspec.Struct, frozen=True):
    """Where vectors come from: they can be compared with nothing else."""

    model: str
    length: int
    knowledge: bytes
    """The identity of the index whose passages they are."""


def is_installed() -> bool:
    """Whether the extra is there."""
    return find_spec("apsw") is not None and find_spec("sqlite_vec") is not None


def check_installed() -> None:
    """UsageError where the extra is missing."""
    if not is_installed():
        raise UsageError("vectors need onbook with its extra rag: pip install '.[rag]' in its clone")


@contextmanager
def open_vectors(root: Path) -> Iterator["Vectors"]:
    """The workspace's vectors, the file made when missing."""
    check_installed()
    import apsw

    path = private_database(root, NAME)
    try:
        with closing(apsw.Connection(str(path))) as database:
            _set_up(database, path)
            yield Vectors(database)
    except apsw.Error as error:
        raise understood(path, error) from None


class Vectors:
    """Open vectors, for the thread that opened them."""

    def __init__(self, database: Any) -> None:
        self._database = database

    @property
    def origin(self) -> Origin | None:
        """None while there are no vectors."""
        row = self._database.execute("SELECT model, length, knowledge FROM origin").fetchone()
        return Origin(*row) if row else None

    def numbers(self) -> set[int]:
        """The passages that have a vector."""
        return {number for (number,) in self._database.execute("SELECT id FROM vectors")}

    def start_anew(self, origin: Origin | None) -> None:
        """Forget all vectors; the next ones come from there."""
        with self._database:
            self._database.execute("DELETE FROM origin; DELETE FROM vectors; DELETE FROM signs")
            if origin is not None:
                values = (origin.model, origin.length, origin.knowledge)
                self._database.execute("INSERT INTO origin VALUES (?, ?, ?)", values)
        self._database.execute("VACUUM")

    def add(self, numbers: Sequence[int], vectors: Sequence[Vector]) -> None:
        """Keep these passages' vectors, all or none."""
        with self._database:
            rows = [(number, _packed(vector)) for number, vector in zip(numbers, vectors, strict=True)]
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
            signs = "INSERT OR REPLACE INTO signs SELECT id, vec_quantize_binary(vector) FROM vectors WHERE id = ?"
            self._database.executemany(signs, [(number,) for number in numbers])

    def drop(self, numbers: Sequence[int]) -> None:
        """Forget the vectors of passages that are gone."""
        with self._database:
            for table in ("vectors", "signs"):
                gone = f"DELETE FROM {table} WHERE id = ?"  # noqa: S608 - one of two names
                self._database.executemany(gone, [(number,) for number in numbers])

    def nearest(self, vector: Vector, most: int) -> list[int]:
        """The passages that mean the most similar, the nearest first."""
        found = """
            SELECT id FROM vectors WHERE id IN (
                SELECT id FROM signs ORDER BY vec_distance_hamming(vec_bit(sign), vec_quantize_binary(?1)) LIMIT ?2
            ) ORDER BY vec_distance_cosine(vector, ?1) LIMIT ?3
        """
        rows = self._database.execute(found, (_packed(vector), COMPARED, most))
        return [number for (number,) in rows]


def _set_up(database: Any, path: Path) -> None:
    import sqlite_vec

    database.set_busy_timeout(int(LOCK_SECONDS * 1000))
    database.execute("PRAGMA trusted_schema = OFF; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    odd = database.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1").fetchone()
    if odd:
        raise Damaged(path, f"it holds {odd[0]}, which onbook never made")
    with database:
        database.execute(_TABLES)
    database.enable_load_extension(True)
    database.load_extension(sqlite_vec.loadable_path())
    database.enable_load_extension(False)


def _packed(vector: Vector) -> bytes:
    """Single floats of length one, as many as make whole bytes of signs."""
    length = math.hypot(*vector) or 1.0
    missing = -len(vector) % 8
    return array.array("f", [*(value / length for value in vector), *([0.0] * missing)]).tobytes()
