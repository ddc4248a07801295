"""What a flow needs from outside: who performs, where events go, what is remembered of an earlier run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from onbook.events import Reading, Sink, Totals
from onbook.flow.data import Data, Kept
from onbook.outcome import OnbookError, Outcome
from onbook.words import compared

Fingerprint = str | tuple[tuple[str, str], ...]
"""What a result depends on besides the definition and the input: a script's content, or several things by their names.
"""


class KeptOutput(Kept, Protocol):
    """An output that the journal kept, with what was to be known again."""

    @property
    def remark(self) -> str: ...


class RunJournal(Protocol):
    """What is remembered of one run, as it goes."""

    def known(
        self,
        address: str,
        key: bytes,
        parts: tuple[str, ...] = (),
        is_enough: Callable[[str], bool] | None = None,
    ) -> KeptOutput | None:
        """The output of this instance, if it has one with the same key and its remark is enough.

        `parts` are the names of what the key has between the definition and the input.
        """
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
        remark: str = "",
    ) -> None:
        """An instance has ended. `output` is None when it has none; `remark` is what to know again with it."""
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
    totals: Totals | None = None
    """What it cost, said by an actor that spends tokens or money."""
    reading: Reading | None = None
    """How sure the model is of the output, said by an actor that was to find out."""
    model: str = ""
    """Which model answered, said by an actor that asks one."""


class Actor(Protocol):
    """Whoever does the work of one kind of step."""

    def fingerprint(self, definition: Any) -> Fingerprint:
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
    told: str = ""
    """What a person typed to start it, said in place of the input."""


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


class BelowThreshold(OnbookError):
    """A step whose model was not sure enough of its answer: nothing goes on from there."""

    outcome = Outcome.BELOW_THRESHOLD

    def __init__(self, reading: Reading, threshold: float, *, here: Here, what: str) -> None:
        score, wanted = compared(reading.score, threshold)
        self.reason = f"confidence {score} below threshold {wanted}"
        self.address = here.address
        self.reading = reading
        self.threshold = threshold
        super().__init__(f"{what} stopped at step {here.index}/{here.total}: {self.reason}")
