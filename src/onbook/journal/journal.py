"""The journal of a workspace: opening it, beginning a run in it, going on with one."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from onbook.journal import schema
from onbook.journal.blobs import Blobs
from onbook.journal.errors import Damaged, JournalError, NoSuchRun, NotResumable, in_words, shown
from onbook.journal.listing import lost_seconds
from onbook.journal.outputs import Output
from onbook.journal.processes import is_running, this_process
from onbook.journal.prune import prune_in_passing
from onbook.journal.run import RunJournal, Say
from onbook.policy.secrets import redact
from onbook.workspace.databases import database_path, private_database, set_aside
from onbook.workspace.files import locked
from onbook.workspace.tables import make_tables, transaction


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is a run of."""

    kind: str
    """`pipeline`, `workflow` or `prompts`."""
    name: str
    definition: str
    """A hash of the whole definition."""
    steps: int
    """How many steps it has at the top."""
    role: str = ""
    config: str = ""
    """The file that `--config` named; empty for the workspace's own settings."""
    call: str = ""
    """How it was called, for what no settings define: a pipeline of prompts."""


def new_id() -> str:
    """What a new run is called."""
    return os.urandom(4).hex()


class Journal:
    """An open journal, for the thread that opened it."""

    def __init__(self, root: Path, path: Path, database: sqlite3.Connection, say: Say) -> None:
        self.path = path
        self.database = database
        self.blobs = Blobs(root)
        self._root = root
        self._say = say

    def begin(self, start: Start, given: Output, run: str | None = None) -> RunJournal:
        """A new run, under its id where somebody had to know that before. Old ones make room for it."""
        run, now = run or new_id(), time.time()
        with in_words(self.path):
            prune_in_passing(self.database, self.blobs)
            if self.database.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone():
                raise JournalError(f"another run is called {run} already")  # once in a million, and nothing is damaged
            number = self.database.execute(
                "INSERT INTO runs (id, kind, name, definition, role, config, call, steps, started, began, seconds, "
                "error, process) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, '', ?)",
                (
                    *(run, start.kind, redact(start.name), start.definition, redact(start.role), start.config),
                    *(redact(start.call), start.steps, now, now, this_process()),
                ),
            ).lastrowid
        begun = RunJournal(self._root, self.database, self.blobs, number or 0, run, self._say)
        begun.give(given)
        return begun

    def resume(self, run: str, definition: str, steps: int, call: str = "") -> RunJournal:
        """Go on with a run that nobody else is doing. `run` is its whole id; `call` is how it is called from now on,
        if not as before."""
        with in_words(self.path), transaction(self.database):
            found = self.database.execute("SELECT number, process FROM runs WHERE id = ?", (run,)).fetchone()
            if found is None:
                raise NoSuchRun(f"run {run} is no longer recorded")
            number, process = msgspec.convert(found, tuple[int, str])
            if is_running(process):
                raise NotResumable(f"run {run} is still going on (process {process.partition(' ')[0]})")
            self.database.execute(
                "UPDATE runs SET seconds = seconds + ?, process = ?, began = ?, definition = ?, steps = ?, "
                "call = coalesce(nullif(?, ''), call), outcome = NULL, error = '' WHERE number = ?",
                (
                    *(lost_seconds(self.database, number), this_process(), time.time(), definition, steps),
                    *(redact(call), number),
                ),
            )
        resumed = RunJournal(self._root, self.database, self.blobs, number, run, self._say)
        resumed.load()
        return resumed


@contextmanager
def open_journal(root: Path, say: Say = lambda _: None) -> Iterator[Journal]:
    """The workspace's journal, made when missing. `say` is told when a run can no longer be written down."""
    path = private_database(root, schema.NAME)
    database = _connect(path)
    journal = Journal(root, path, database, say)
    try:
        yield journal
    finally:
        journal.blobs.close()
        with in_words(path):
            database.close()


def is_there(root: Path) -> bool:
    """Whether any run was ever recorded here."""
    return database_path(root, schema.NAME).exists()


def replace(root: Path, damaged: Damaged, say: Say) -> None:
    """Set a damaged journal aside, so that a new one can begin."""
    path = private_database(root, schema.NAME)
    with locked(path):
        aside = set_aside(path)
    say(f"{damaged.summary}; it is kept as {shown(aside)}, and a new one begins")


def _connect(path: Path) -> sqlite3.Connection:
    with in_words(path):
        database = sqlite3.connect(path, timeout=schema.LOCK_SECONDS, isolation_level=None)
        try:
            schema.set_up(database)
            _settle(path, database)
        except BaseException:
            database.close()
            raise
    return database


def _settle(path: Path, database: sqlite3.Connection) -> None:
    """Tables in a new file; an old one must have just these."""
    if (version := schema.version_of(database)) > schema.VERSION:
        raise JournalError(f"{shown(path)} was made by a newer onbook (version {version}); use that one")
    make_tables(database, schema.TABLES)
    if not schema.is_ours(database):
        raise Damaged(path, "it is of an older onbook" if 0 < version < schema.VERSION else "it holds something else")
