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


class Speaker(msgspec.Struct, frozen=True):
    """Who answers: the name on stage, the model behind it, and whether it lives outside this machine."""

    name: str
    model: str
    remote: bool


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """Fields every event has: the run it belongs to and when it happened (seconds since 1970, UTC)."""

    run: str
    time: float


class RunStarted(Event, frozen=True, kw_only=True, tag="run.started"):
    """A runner begins: its kind (`chat`, `command`, `script`, `workflow`), what it was given and who will answer."""

    kind: str
    input: str
    workspace: str
    speaker: Speaker | None = None
    """None where no model answers."""
    name: str = ""
    """Which pipeline or workflow it is."""
    attachments: tuple[str, ...] = ()
    recorded: bool = True
    """Whether the transcript keeps the run; a look at the session's own state, as `/help`, is left out."""


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
    """`once`, `loop`, `foreach`, `conditional`, `parallel`; or `round`, `item`, `branch`."""
    index: int = 0
    """Which of its siblings it is, from 1."""
    total: int = 0
    """How many there are, or can be."""


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
    | Note
    | StepFinished
    | RunFinished
)
EVENT_TYPES: tuple[type[Event], ...] = AnyEvent.__args__

Sink = Callable[[AnyEvent], None]
"""Anything that takes events: a screen, a file, a pipe."""


def to_json_line(event: AnyEvent) -> bytes:
    """The event as one line of JSON, in the documented form with `"v": 1` first."""
    fields: dict[str, Any] = {"v": 1, **msgspec.to_builtins(event)}
    return msgspec.json.encode(fields) + b"\n"
