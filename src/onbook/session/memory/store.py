"""What a workspace remembers: facts in `.onbook/memory.jsonl`, one a line, each with where it came from.

The file is replaced in one step and under a lock, so that two sessions lose nothing of each other's. Lines that cannot
be read are kept aside before it is written again.
"""

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from onbook.outcome import UsageError
from onbook.policy.effects import one_line
from onbook.policy.hands import read_bytes, write_bytes
from onbook.policy.paths import Missing, PathRefused
from onbook.policy.secrets import redact
from onbook.workspace.errors import WorkspaceError
from onbook.workspace.files import locked
from onbook.workspace.root import PRIVATE_NAME, private_folder

FILE_NAME = "memory.jsonl"
MOST_FACTS = 200
LONGEST_FACT = 1_000
MOST_BYTES = 1 << 20
LAST_NUMBER = 10**9


class Fact(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing to remember; without text it was forgotten, and only its number is kept from being used again."""

    id: Annotated[int, msgspec.Meta(ge=1, le=LAST_NUMBER)]
    text: str
    time: float = 0.0
    by: str = ""
    """Who typed it."""
    session: str = ""
    """The recorded session it was typed in."""

    @property
    def origin(self) -> str:
        """`ada, 2026-05-20, session 20260520T…`"""
        day = time.strftime("%Y-%m-%d", time.localtime(self.time)) if 0 < self.time < 1e11 else ""
        session = f"session {self.session}" if self.session else ""
        return ", ".join(part for part in (self.by, day, session) if part) or "nobody knows from whom"

    def __str__(self) -> str:
        return one_line(f"{self.id}  {self.text} ({self.origin})", LONGEST_FACT + 200)


class Remembered(msgspec.Struct, frozen=True):
    """What the file holds."""

    facts: tuple[Fact, ...] = ()
    damaged: tuple[bytes, ...] = ()
    """Lines that nobody can read."""
    last: int = 0
    """The highest number ever given."""


class Memory:
    """The facts of one workspace."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._parts = (PRIVATE_NAME, FILE_NAME)
        self.path = root / PRIVATE_NAME / FILE_NAME

    def load(self) -> Remembered:
        """All facts, the oldest first; WorkspaceError when the file cannot be read at all."""
        try:
            data = read_bytes(self._root, self._parts, MOST_BYTES + 1)
        except Missing:
            return Remembered()
        except PathRefused as refused:
            raise WorkspaceError(f"{self.path}: {refused}; move it away to begin anew") from None
        if len(data) > MOST_BYTES:
            raise WorkspaceError(f"{self.path}: larger than {MOST_BYTES >> 20} MiB; move it away to begin anew")
        return _decoded(data)

    def add(self, text: str, *, by: str = "", session: str = "") -> Fact:
        """Remember a fact, without the keys in it."""
        text = redact(" ".join(text.encode("utf-8", "backslashreplace").decode().split()))
        if not text or len(text) > LONGEST_FACT:
            raise UsageError(f"a fact has 1 to {LONGEST_FACT:,} characters, this has {len(text):,}")
        made: list[Fact] = []

        def change(known: Remembered) -> Sequence[Fact]:
            if same := next((fact for fact in known.facts if fact.text == text), None):
                raise UsageError(f"that is known already: fact {same.id} ({same.origin})")
            if len(known.facts) >= MOST_FACTS:
                raise UsageError(f"{MOST_FACTS} facts are kept, no more; /memory forget N makes room")
            if known.last >= LAST_NUMBER:
                raise UsageError(f"{self.path}: the numbers are used up; move it away to begin anew")
            made.append(Fact(known.last + 1, text, time.time(), by, session))
            return (*known.facts, *made)

        self._change(change)
        return made[0]

    def forget(self, number: int) -> Fact:
        """Take a fact out; its number is never used again."""
        gone: list[Fact] = []

        def change(known: Remembered) -> Sequence[Fact]:
            gone.extend(fact for fact in known.facts if fact.id == number)
            if not gone:
                raise UsageError(f"there is no fact {number}; /memory list shows them")
            return [fact for fact in known.facts if fact.id != number]

        self._change(change)
        return gone[0]

    def search(self, words: Sequence[str]) -> tuple[Fact, ...]:
        """The facts in which every word occurs, in any case."""
        wanted = [word.casefold() for word in words]
        return tuple(fact for fact in self.load().facts if all(word in str(fact).casefold() for word in wanted))

    def _change(self, change: Callable[[Remembered], Sequence[Fact]]) -> None:
        private_folder(self._root)
        with locked(self.path):
            known = self.load()
            facts = list(change(known))
            last = max(known.last, *(fact.id for fact in facts), 0)
            if last and (not facts or facts[-1].id != last):
                facts.append(Fact(last, ""))
            try:
                if known.damaged:
                    self._keep_aside(known.damaged)
                write_bytes(self._root, self._parts, b"".join(map(_line, facts)), 0o600)
            except PathRefused as refused:
                raise WorkspaceError(f"{self.path}: {refused}") from None

    def _keep_aside(self, lines: Sequence[bytes]) -> None:
        name = f"memory-damaged-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.urandom(2).hex()}.jsonl"
        write_bytes(self._root, (PRIVATE_NAME, name), b"".join(line + b"\n" for line in lines), 0o600)


def _decoded(data: bytes) -> Remembered:
    facts: dict[int, Fact] = {}
    damaged: list[bytes] = []
    for line in filter(bytes.strip, data.split(b"\n")):
        try:
            fact = msgspec.json.decode(line, type=Fact)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            damaged.append(line)
            continue
        if fact.id in facts:
            damaged.append(line)
        else:
            facts[fact.id] = fact
    kept = tuple(facts[number] for number in sorted(facts) if facts[number].text.strip())
    return Remembered(kept, tuple(damaged), max(facts, default=0))


def _line(fact: Fact) -> bytes:
    return msgspec.json.encode(fact) + b"\n"
