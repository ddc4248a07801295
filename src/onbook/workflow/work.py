"""A workflow under way: the one object that every phase works with."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import msgspec

from onbook.events import Note
from onbook.session.live import Live
from onbook.workflow.gates import Gatekeeper
from onbook.workflow.messages import Words
from onbook.workflow.state.state import Dispatch, State, timestamp
from onbook.workflow.state.store import Store


class Agents(Protocol):
    """Whoever sends agents out."""

    async def send(self, work: "Work", *errands: "Errand") -> tuple[Dispatch, ...]:
        """Send all of them out at the same time and wait; each has left its artefact when this returns.

        An artefact that is missing or unchanged: two more tries, then the gate `artefact`; `Stopped` where somebody
        stops there.
        """
        ...


class Errand(msgspec.Struct, frozen=True):
    """One agent to send out: who, with what in its template, and what it must bring back."""

    persona: str
    artefact: str
    """Path from the root."""
    variables: dict[str, str]


@dataclass(frozen=True)
class Work:
    """Nothing here is replaced while it lasts; what changes is the state in its store."""

    live: Live
    run: str
    store: Store
    gates: Gatekeeper
    agents: Agents
    words: Words

    @property
    def root(self) -> Path:
        return self.live.root

    @property
    def state(self) -> State:
        return self.store.state

    def advance(self, **changes: Any) -> State:
        """Change the state, and make that last."""
        self.store.write(msgspec.structs.replace(self.state, updated_at=timestamp(), **changes))
        return self.state

    def say(self, line: str, level: str = "info") -> None:
        """A line as the seed words it, `[harness] …` or `✓ …`; the view shows it as it is."""
        self.live.emit(Note(run=self.run, time=time.time(), text=line, level=level))

    def path(self, name: str) -> Path:
        """A file of the workflow's own folder under `docs_path`, as `spec.md`."""
        return self.root / self.state.docs_path / name
