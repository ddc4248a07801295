"""The journal as SQLite keeps it, and how its connection is set up."""

import sqlite3

NAME = "journal.sqlite"
VERSION = 2
LOCK_SECONDS = 5.0
CHECKPOINT_PAGES = 16_384
"""So much may wait in the write-ahead log (64 MiB): moving it costs a sync of the disk, which some step waits for."""

RUN_BITS = 32
"""An instance's number is its run's number, shifted by these, plus its place in the order of the run. So a run's rows
stand together without an index, and writing one changes one page."""

_INCREMENTAL = (2,)
"""What SQLite calls a file that gives space back piece by piece."""
TABLES = (
    # Data stands last in each row: what lists runs and steps never reads it.
    "CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, "
    "name TEXT NOT NULL, definition TEXT NOT NULL, role TEXT NOT NULL, config TEXT NOT NULL, call TEXT NOT NULL, "
    "steps INTEGER NOT NULL, started REAL NOT NULL, began REAL NOT NULL, ended REAL, seconds REAL NOT NULL, "
    "outcome TEXT, error TEXT NOT NULL, process TEXT NOT NULL)",
    "CREATE TABLE instances (number INTEGER PRIMARY KEY, address TEXT NOT NULL, key BLOB NOT NULL, "
    "outcome TEXT NOT NULL, seconds REAL NOT NULL, cost REAL, finished REAL NOT NULL, error TEXT NOT NULL, "
    "remark TEXT NOT NULL, size INTEGER NOT NULL, identity TEXT NOT NULL, place TEXT NOT NULL, output BLOB)",
    # Who else has a blob: asked only when runs are forgotten, and other rows are not in it.
    "CREATE INDEX blobs ON instances (identity) WHERE place = 'blob'",
    f"PRAGMA user_version = {VERSION}",
)


def set_up(database: sqlite3.Connection) -> None:
    """Made to survive a SIGKILL at any moment: what was committed is with the operating system. Only a power cut may
    take the last commits, and it takes them whole, so a commit needs no sync of the disk. A file that came with a
    cloned repository must not be able to run anything."""
    database.execute("PRAGMA trusted_schema = OFF")
    if database.execute("PRAGMA auto_vacuum").fetchone() != _INCREMENTAL:  # said again, it would wait for the disk
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")


def version_of(database: sqlite3.Connection) -> int:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return int(version)


def is_ours(database: sqlite3.Connection) -> bool:
    """Whether the file holds exactly what onbook makes, and nothing that would run by itself."""
    found = database.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {sql for (sql,) in found} == {statement for statement in TABLES if statement.startswith("CREATE")}


def span(run: int) -> tuple[int, int]:
    """The first and the last number that an instance of this run can have."""
    return run << RUN_BITS, ((run + 1) << RUN_BITS) - 1
