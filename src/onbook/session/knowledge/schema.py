"""The index as SQLite keeps it, and how its connection is set up."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

NAME = "knowledge.sqlite"
VERSION = 1
LOCK_SECONDS = 5.0

TABLES = (
    "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash BLOB NOT NULL, size INTEGER NOT NULL)",
    # A passage's number is never used twice: vectors know it by that.
    "CREATE TABLE chunks (id INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files (id), "
    "first INTEGER NOT NULL, last INTEGER NOT NULL, glued INTEGER NOT NULL, text TEXT NOT NULL)",
    "CREATE INDEX chunks_of_file ON chunks (file)",
    # The words alone: the text is in `chunks` already.
    "CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'porter unicode61 remove_diacritics 2')",
    # More in memory and lazier merging, which is half of what makes adding fast.
    "INSERT INTO words (words, rank) VALUES ('hashsize', 16777216), ('automerge', 8)",
    "CREATE TABLE identity (id BLOB NOT NULL)",
    "INSERT INTO identity VALUES (randomblob(16))",
    f"PRAGMA user_version = {VERSION}",
)


def set_up(database: "sqlite3.Connection") -> None:
    """Durable: what was committed survives a power cut, which WAL without FULL does not promise. A file that came with
    a cloned repository must not be able to run anything."""
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    database.execute("PRAGMA cache_size = -65536")
    database.execute("PRAGMA foreign_keys = ON")


def problem_with(database: "sqlite3.Connection") -> str | None:
    """Why a file is not an index of ours; None when it is, or when it is new."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    odd = database.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1").fetchone()
    if odd:
        return f"it holds {odd[0]}, which onbook never made"
    if version not in (0, VERSION):
        return f"it is of version {version}, and this onbook knows {VERSION}"
    return None
