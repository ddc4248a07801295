"""What can go wrong with the journal, each in one line."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from onbook.config.errors import reason
from onbook.outcome import OnbookError, UsageError


class JournalError(OnbookError):
    """The journal cannot be read or written as it is."""


class Damaged(JournalError):
    """The file is no journal, or a broken one."""

    def __init__(self, path: Path, problem: str) -> None:
        self.summary = f"{shown(path)} is damaged ({problem})"
        super().__init__(f"{shown(path)} is damaged ({problem}); the next run sets it aside")


class NoSuchRun(UsageError):
    """Nobody knows the run that was asked for, or several fit."""


class NotResumable(JournalError):
    """The run is there, and cannot go on."""


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Errors of SQLite and of files as ours; and values of a file that came with a clone, which may be anything."""
    try:
        yield
    except sqlite3.Error as error:
        raise _understood(path, error) from None
    except UnicodeDecodeError:
        raise Damaged(path, "it holds bytes that are no text") from None
    except msgspec.ValidationError:
        raise JournalError(f"{shown(path)} holds values that onbook never wrote; move it away to begin anew") from None
    except OSError as error:
        raise JournalError(f"{shown(path)} cannot be written: {reason(error)}") from None


def shown(path: Path) -> str:
    """`.onbook/journal.sqlite`: short, and the same on every machine."""
    return f"{path.parent.name}/{path.name}"


def _understood(path: Path, error: sqlite3.Error) -> JournalError:
    said = str(error)
    if any(word in said for word in ("locked", "busy")):
        return JournalError(f"{shown(path)} is in use by another onbook that does not let go of it")
    if "full" in said or "disk I/O" in said:
        return JournalError(f"{shown(path)} cannot be written: the disk is full or broken ({said})")
    if "readonly" in said or "unable to open" in said:
        return JournalError(f"{shown(path)} cannot be written: {said}")
    return Damaged(path, said)
