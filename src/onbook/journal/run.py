"""One run in the journal while it lasts: what is done is written down at once, what was done before is known."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from onbook.journal import keys
from onbook.journal.blobs import Blobs
from onbook.journal.errors import JournalError, NotResumable, in_words
from onbook.journal.outputs import MOST_IN_A_ROW, Output, Stored
from onbook.journal.schema import NAME, span
from onbook.journal.users_file import open_unchanged, users_file
from onbook.outcome import OnbookError, Outcome
from onbook.policy.secrets import redact
from onbook.workspace.databases import database_path

Say = Callable[[str], None]
"""Where the journal says what a person should know, one line at a time."""

GIVEN = ""
"""The address under which the run's own input stands."""
BLOB = "blob"
CONFIDENCE = "confidence"
"""What `changed` says of a step whose model was less sure than is asked for today."""

_INSERT = (
    "INSERT INTO instances (number, address, key, outcome, seconds, cost, finished, error, remark, size, identity, "
    "place, output) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_LOAD = (
    "SELECT number, address, key, outcome, remark, size, identity, place, CASE WHEN size <= 1024 THEN output END "
    "FROM instances WHERE number BETWEEN ? AND ? ORDER BY number"
)
_END = "UPDATE runs SET outcome = ?, error = ?, ended = ?, seconds = seconds + ?, process = '' WHERE number = ?"
_ACCEPT = "UPDATE instances SET outcome = ?, error = '' WHERE number = ?"
_PASSED = Outcome.PASSED.value
_BELOW = Outcome.BELOW_THRESHOLD.value
_ROW = tuple[int, str, bytes, str, str, int, str, str, bytes | None]
"""As in `_LOAD`."""


class _Done(msgspec.Struct, frozen=True):
    """An instance as an earlier part of the run left it."""

    number: int
    address: str
    key: bytes
    outcome: str
    remark: str
    size: int
    identity: str
    place: str
    """Empty: in the row. `blob`: in `.onbook/blobs/`. Else the stamp and the path of a file of the user's."""
    content: bytes | None
    """What is very small is read with everything else."""


class RunJournal:
    """What the engine writes to and asks. For the thread that opened the journal.

    A journal that cannot be written any more says so once, and the run goes on without: work is worth more than its
    record. What was written until then can still be resumed from.
    """

    def __init__(self, root: Path, database: sqlite3.Connection, blobs: Blobs, number: int, run: str, say: Say) -> None:
        self.id = run
        self.reused = 0
        """How many instances were taken from the journal."""
        self.performed = 0
        """How many ran."""
        self.changed: dict[str, str] = {}
        """The addresses of those that were done and must run again, and what of each is not as it was."""
        self._root = root
        self._path = database_path(root, NAME)
        self._database = database
        self._blobs = blobs
        self._number = number
        self._next = span(number)[0]
        self._say = say
        self._done: dict[str, _Done] = {}
        self._began = time.monotonic()
        self._is_recording = True
        self._is_over = False

    def load(self) -> None:
        """Know again what was done, from one reading; larger outputs are read when they are asked for."""
        with in_words(self._path):
            for row in self._database.execute(_LOAD, span(self._number)):
                done = _Done(*msgspec.convert(row, _ROW))
                self._done[done.address] = done
                self._next = done.number + 1

    def give(self, given: Output) -> None:
        """Keep the run's own input."""
        self.done(GIVEN, b"", Outcome.PASSED, given, 0.0)

    @property
    def given(self) -> Stored:
        """What the run was given."""
        found = self._done.get(GIVEN)
        stored = found and self._stored(found)
        if stored:
            return stored
        file = found.place.partition(" ")[2] if found else ""
        why = f"{file} is gone or has changed since" if file else "its input is gone"
        raise NotResumable(f"run {self.id} cannot go on: {why}; start it anew")

    def known(
        self,
        address: str,
        key: bytes,
        parts: tuple[str, ...] = ("script",),
        is_enough: Callable[[str], bool] | None = None,
    ) -> Stored | None:
        """The output of an instance that was done with the same definition, `parts` and input, and with a remark that
        is enough today; None when it must run."""
        found = self._done.get(address)
        if found is None or found.outcome not in (_PASSED, _BELOW):
            return None
        stored = self._stored(found) if found.key == key else None
        if stored is None:
            self.changed[address] = keys.difference(found.key, key, parts) or "output"
        elif is_enough is not None and not is_enough(found.remark):
            self.changed[address] = CONFIDENCE
            return None
        else:
            self.reused += 1
            self._accept(found)
        return stored

    def done(
        self,
        address: str,
        key: bytes,
        outcome: Outcome,
        output: Output | None,
        seconds: float,
        cost: float | None = None,
        error: str = "",
        remark: str = "",
    ) -> None:
        """Write an instance down. It is there for a resume as soon as this returns, whatever kills the process then."""
        self.performed += address != GIVEN
        if self._is_recording:
            with self._or_give_up():
                said = (redact(error) if error else "", redact(remark) if remark else "")
                told = (self._next, address, key, outcome.value, seconds, cost, time.time(), *said)
                self._database.execute(_INSERT, told + self._kept(output))
                self._next += 1

    def end(self, outcome: Outcome, error: str = "") -> None:
        """The run is over. Said also where the steps could not be written down any more: a word may still fit in."""
        if not self._is_over:
            self._is_over = True
            with self._or_give_up():
                took = time.monotonic() - self._began
                self._database.execute(_END, (outcome.value, redact(error), time.time(), took, self._number))

    def _accept(self, found: _Done) -> None:
        """What was not enough then has passed by what is enough today."""
        if found.outcome != _PASSED and self._is_recording:
            with self._or_give_up():
                self._database.execute(_ACCEPT, (_PASSED, found.number))

    def _kept(self, output: Output | None) -> tuple[int, str, str, bytes | None]:
        """Size, identity, place and content, as a row has them."""
        if output is None:
            return 0, "", "", None
        size, identity = output.size, output.identity
        if size <= MOST_IN_A_ROW:
            return size, identity, "", output.read()
        descriptor = output.open()
        try:
            place = users_file(descriptor, self._root)
            if not place:
                self._blobs.keep(descriptor, identity, size)
        finally:
            os.close(descriptor)
        return size, identity, place or BLOB, None

    @contextmanager
    def _or_give_up(self) -> Iterator[None]:
        try:
            with in_words(self._path):
                yield
        except OnbookError as error:
            if self._is_recording:
                self._say(f"{error}; the run goes on, and is not recorded from here")
            self._is_recording = False

    def _stored(self, done: _Done) -> Stored | None:
        """The output, if it is still there."""
        if not done.place:
            return Stored(done.size, done.identity, read=partial(self._read, done), remark=done.remark)
        descriptor = self._find(done)
        if descriptor is None:
            return None
        os.close(descriptor)
        return Stored(done.size, done.identity, open=partial(self._open, done), remark=done.remark)

    def _read(self, done: _Done) -> bytes:
        if done.content is not None:
            return done.content
        with in_words(self._path):
            found = self._database.execute("SELECT output FROM instances WHERE number = ?", (done.number,)).fetchone()
            (output,) = msgspec.convert(found or (None,), tuple[bytes | None])
        return output or b""

    def _open(self, done: _Done) -> int:
        descriptor = self._find(done)
        if descriptor is None:
            raise JournalError(f"the output of {done.address} was removed while it was in use; resume run {self.id}")
        return descriptor

    def _find(self, done: _Done) -> int | None:
        return self._blobs.open(done.identity, done.size) if done.place == BLOB else open_unchanged(done.place)
