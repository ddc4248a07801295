"""What runners emit and sinks show: the typed, ordered record of everything that happened.

Runners never print and never format; the screen, the transcript and `--json` all read these same values, so
they cannot disagree. `docs/events.md` documents every type and field; a test keeps the two in step.
"""

from collections.abc import Callable
from typing import Any

import msgspec


class Totals(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a run cost so far. Token counts are None where nobody knows, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    estimated: bool = False
    """True when the counts are our estimate and not the backend's own."""
    seconds: float = 0.0
    first_token_seconds: float | None = None
    context_used: float | None = None
    """Share of the model's context window in use after the turn, 0 to 1; None where the window is unknown."""
    money: float | None = None
    """US dollars; None where no price is known."""

    def plus(self, more: "Totals") -> "Totals":
        """Both together. Of what was never paid for, nothing is added; a price that is unknown leaves the sum so."""
        if self.prompt_tokens is None or more.prompt_tokens is None:
            return self if more.prompt_tokens is None else more
        return Totals(
            self.prompt_tokens + more.prompt_tokens,
            (self.completion_tokens or 0) + (more.completion_tokens or 0),
            self.estimated or more.estimated,
            self.seconds + more.seconds,
            self.first_token_seconds,
            more.context_used,
            None if self.money is None or more.money is None else self.money + more.money,
        )


class Speaker(msgspec.Struct, frozen=True):
    """Who answers: the name on stage, the model behind it, and whether it lives outside this machine."""

    name: str
    model: str
    remote: bool


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """How sure a model is of its answer, 0 to 1, and how that was found out."""

    score: float
    method: str
    """`block`, `follow-up`, `wording`, `logprobs` or `samples`."""
    reason: str = ""

    @property
    def weakness(self) -> str:
        """What is said beside a score that nobody gave; nothing beside the others."""
        return "guessed from wording" if self.method == "wording" else ""


RULE = "\n\n---\n\n"
"""Stands in what a prompt asks, between what its step was given and the text of its file (seed 1)."""


class PromptStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which step of which run a prompt is sent for."""

    within: str
    """The run of the flow."""
    address: str
    index: int
    """Number of the top-level step it belongs to, from 1."""
    total: int
    file: str
    body: str
    """The text of the file, as it is sent."""
    instructed: bool = False
    """Whether the hidden confidence instruction was appended."""
    context_used: float | None = None
    """Share of the model's window that the question takes, about; None where the window is unknown."""


class Option(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that can be chosen at a gate: the word for scripts, and what a person reads, in their language."""

    choice: str
    label: str
    description: str = ""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """Fields every event has: the run it belongs to and when it happened (seconds since 1970, UTC)."""

    run: str
    time: float


class RunStarted(Event, frozen=True, kw_only=True, tag="run.started"):
    """A runner begins: its kind (`chat`, `command`, `script`, `workflow`, `pipeline`, `prompt`, `loop`, `harness`,
    `agent`), what it was given and who will answer."""

    kind: str
    input: str
    workspace: str
    speaker: Speaker | None = None
    """None where no model answers."""
    name: str = ""
    """Which pipeline or workflow it is; of a loop, what it is going to do; of an agent, its persona."""
    attachments: tuple[str, ...] = ()
    recorded: bool = True
    """Whether the transcript keeps the run; a look at the session's own state, as `/help`, is left out."""
    step: PromptStep | None = None
    """On a run of kind `prompt` or `agent`: the step it is for."""


class TextDelta(Event, frozen=True, kw_only=True, tag="text.delta"):
    """A piece of the answer, as it arrived."""

    text: str


class ReasoningDelta(Event, frozen=True, kw_only=True, tag="reasoning.delta"):
    """A piece of what the model thinks aloud: shown dimmed, never forwarded."""

    text: str


class ToolCalled(Event, frozen=True, kw_only=True, tag="tool.called"):
    """The model asks for a tool."""

    call: str
    name: str
    arguments: str


class ToolFinished(Event, frozen=True, kw_only=True, tag="tool.finished"):
    """What a tool gave back to the model."""

    call: str
    name: str
    ok: bool
    """False when the tool failed or was refused; the model is told why in `result`."""
    result: str
    """The text the model reads, already cut to size."""
    seconds: float = 0.0


class ProcessFinished(Event, frozen=True, kw_only=True, tag="process.finished"):
    """A program ran to its end or to its limits."""

    command: str
    exit_code: int | None
    """None when it was stopped at a limit."""
    output: str
    seconds: float
    problem: str = ""
    """Why it was stopped, or what is missing from the output."""


class StepStarted(Event, frozen=True, kw_only=True, tag="step.started"):
    """A step of a flow begins, or a part of one: a round of a loop, an item of a foreach, a branch."""

    address: str
    """Its place in the tree, as in `review/each[713]/lint_one`; no other instance of the run has it."""
    name: str
    kind: str
    """`once`, `loop`, `foreach`, `conditional`, `parallel`; or `round`, `item`, `branch`; or `phase`, `agent`,
    `check`."""
    index: int = 0
    """Which of its siblings it is, from 1."""
    total: int = 0
    """How many there are, or can be."""


class ConfidenceRead(Event, frozen=True, kw_only=True, tag="confidence.read"):
    """How sure the model is of the answer that this run gave."""

    score: float
    method: str
    reason: str = ""
    threshold: float | None = None
    """What it is measured by, 0 to 1; reaching it is enough."""


class StepFinished(Event, frozen=True, kw_only=True, tag="step.finished"):
    """It ends."""

    address: str
    outcome: str
    seconds: float
    bytes: int = 0
    """Size of what it gave."""
    error: str = ""
    reused: bool = False
    """True when the output is the one of an earlier, interrupted run."""
    detail: str = ""
    """The end of a failed script's standard error, or a remark."""
    reading: Reading | None = None
    """How sure the model was, on a step that asks for it."""
    threshold: float | None = None
    model: str = ""
    """Which model answered, on a step that asks for a confidence; of one that is reused, then."""


class GateWaiting(Event, frozen=True, kw_only=True, tag="gate.waiting"):
    """A gate is reached: only a person decides how it goes on."""

    gate: str
    """Its name, as in `--answer GATE=CHOICE`."""
    header: str
    question: str
    options: tuple[Option, ...]
    """Those on offer now."""
    takes_text: bool = False
    """Whether free text can be an answer."""

    def label_of(self, choice: str) -> str:
        """The choice as a person reads it; the word itself where it is none of those on offer."""
        return next((option.label for option in self.options if option.choice == choice), choice)


class GateAnswered(Event, frozen=True, kw_only=True, tag="gate.answered"):
    """Somebody has decided. A gate that nobody answers has no such event: the run ends with `waiting`."""

    gate: str
    choice: str
    by: str
    """`person`; `answer`, given beforehand with `--answer`."""
    text: str = ""
    """What was written besides."""


class Note(Event, frozen=True, kw_only=True, tag="note"):
    """Something a person should know that is not part of the answer. `level` is `debug`, `info` or `warning`."""

    text: str
    level: str = "info"


class RunFinished(Event, frozen=True, kw_only=True, tag="run.finished"):
    """A runner ends: how, with which exit code, the whole answer and what it cost."""

    outcome: str
    exit_code: int
    text: str = ""
    reasoning: str = ""
    error: str = ""
    finish_reason: str = ""
    totals: Totals = Totals()
    running: Totals | None = None
    """What the whole session has cost up to here."""


AnyEvent = (
    RunStarted
    | StepStarted
    | TextDelta
    | ReasoningDelta
    | ToolCalled
    | ToolFinished
    | ProcessFinished
    | ConfidenceRead
    | GateWaiting
    | GateAnswered
    | Note
    | StepFinished
    | RunFinished
)
EVENT_TYPES: tuple[type[Event], ...] = AnyEvent.__args__

PIECES = (TextDelta, ReasoningDelta)
"""What is said piece by piece: many a second, so that whoever handles events tells them apart first."""

Sink = Callable[[AnyEvent], None]
"""Anything that takes events: a screen, a file, a pipe."""


def to_json_line(event: AnyEvent) -> bytes:
    """The event as one line of JSON, in the documented form with `"v": 1` first."""
    fields: dict[str, Any] = {"v": 1, **msgspec.to_builtins(event)}
    return msgspec.json.encode(fields) + b"\n"
