"""How onbook writes to its SQLite files: all of a change or nothing of it, and the tables of a new file once."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


@contextmanager
def transaction(database: "sqlite3.Connection") -> Iterator[None]:
    """All of it or nothing; others may read meanwhile."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def make_tables(database: "sqlite3.Connection", statements: Iterable[str]) -> None:
    """Everything that a new file needs; somebody else may be doing the same."""
    if _is_new(database):
        with transaction(database):
            for statement in statements if _is_new(database) else ():
                database.execute(statement)


def _is_new(database: "sqlite3.Connection") -> bool:
    made: tuple[int] = database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return made == (0,)
