"""What a flow needs from outside: who performs, where events go, what is remembered of an earlier run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from onbook.events import Sink
from onbook.flow.data import Data, Kept
from onbook.outcome import OnbookError, Outcome


class RunJournal(Protocol):
    """What is remembered of one run, as it goes."""

    def known(self, address: str, key: bytes) -> Kept | None:
        """The output of this instance, if it passed before with the same key."""
        ...

    def done(
        self,
        address: str,
        key: bytes,
        outcome: Outcome,
        output: Data | None,
        seconds: float,
        cost: float | None = None,
        error: str = "",
    ) -> None:
        """An instance has ended. `output` is None unless it passed."""
        ...

    def end(self, outcome: Outcome, error: str = "") -> None:
        """The run has ended."""
        ...


@dataclass(slots=True)
class Here:
    """Where an actor performs: which instance of which step of which flow."""

    world: "World"
    flow: str
    address: str
    """Its place in the tree: `review/each[713]/lint_one`."""
    step: str
    """The step's own name."""
    index: int
    """Number of the top-level step it belongs to, from 1."""
    total: int
    """How many top-level steps there are."""
    costs: list[float] = field(default_factory=list)
    """US dollars: an actor that spends money adds what it spent."""


class Actor(Protocol):
    """Whoever does the work of one kind of step."""

    def fingerprint(self, definition: Any) -> str:
        """What else the result depends on: the content of a script or a prompt file. Asked before every instance."""
        ...

    async def perform(self, definition: Any, given: Data, here: Here) -> Data:
        """Do it; StepFailed when it fails."""
        ...


@dataclass(frozen=True)
class World:
    """Everything around one run."""

    root: Path
    cwd: Path
    """Where scripts run, and what their paths are relative to."""
    emit: Sink
    run: str
    actors: Mapping[type, Actor]
    journal: RunJournal | None = None
    role: str = ""
    environ: Mapping[str, str] = field(default_factory=dict)


class StepFailed(OnbookError):
    """A step that failed: the reason in one line, and what else is known of it."""

    def __init__(
        self, reason: str, *, address: str, exit_code: int | None = None, stderr: str = "", timed_out: bool = False
    ) -> None:
        super().__init__(f"{address}: {reason}")
        self.reason = reason
        self.address = address
        self.exit_code = exit_code
        """As Python counts: negative for a signal; None when it was never started or was stopped."""
        self.stderr = stderr
        """The end of what it said on standard error."""
        self.timed_out = timed_out
