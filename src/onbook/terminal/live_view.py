"""The view of a session at a terminal: what is complete stays above the prompt, what is growing stands on the board."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from onbook.events import (
    AnyEvent,
    Event,
    Note,
    ProcessFinished,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolCalled,
    ToolFinished,
)
from onbook.terminal.asides import in_short, is_heard, is_worth_saying, process_line, statistics, tool_call, tool_lines
from onbook.terminal.board import Board
from onbook.terminal.growing import Growing, Lines, Thoughts, Words
from onbook.terminal.screen import printable, styled
from onbook.terminal.steps_view import Steps, header, is_flow
from onbook.terminal.surface import Surface

if TYPE_CHECKING:
    from onbook.session.live import LogLevel


@dataclass
class _Run:
    """A run that is going on, and the model that speaks in it, if one does."""

    model: str
    text: Growing
    thoughts: Growing = field(default_factory=Thoughts)
    steps: Steps | None = None
    """Its steps, if it is a flow."""


class LiveView:
    """Shows events around and above the prompt. `level` is how much is said beside the answers."""

    def __init__(self, surface: Surface, board: Board, level: "Callable[[], LogLevel]") -> None:
        self._surface = surface
        self._board = board
        self._level = level
        self._runs: dict[str, _Run] = {}
        self._calls: dict[str, str] = {}
        self.said_cancelled = False

    def __call__(self, event: AnyEvent) -> None:
        take = _TAKES.get(type(event))
        if take is not None:
            take(self, event)
        self._surface.refresh()

    def aside(self, line: str, *, dimmed: bool = True) -> None:
        """A line that stays, beside the answers."""
        self._surface.say(styled("2", printable(line)) + "\n" if dimmed else f"{printable(line)}\n")

    def echo(self, line: str) -> None:
        """What was typed, at the place where it takes effect."""
        self.said_cancelled = False
        rows = printable(line).replace("\n", "\n  ")
        self._surface.say("\n" + "".join(styled("1", row) + "\n" for row in f"> {rows}".split("\n")))

    def cancelled(self) -> None:
        """What ran was stopped; said once, whoever noticed first."""
        if not self.said_cancelled:
            self.said_cancelled = True
            self.aside("Cancelled.", dimmed=False)

    def settle(self) -> None:
        """Nothing runs any more: whatever a run left unfinished is said as it is."""
        for run in self._runs.values():
            self._end_text(run)
        self._runs.clear()
        self._calls.clear()
        self._board.waiting = None

    def _started(self, event: RunStarted) -> None:
        if event.speaker is None:
            self._runs[event.run] = _Run("", Lines(event.input), steps=Steps() if is_flow(event) else None)
            if is_flow(event):
                self.aside(header(event), dimmed=False)
            self._board.wait_for(in_short(event.input.strip()))
        else:
            self._runs[event.run] = _Run(event.speaker.model, Words(lambda: self._surface.columns))
            self._board.wait_for(event.speaker.model)

    def _text(self, event: TextDelta) -> None:
        run = self._run(event)
        self._board.waiting = None
        self._end_thoughts(run)
        self._surface.say(run.text.feed(event.text))
        self._board.growing = run.text

    def _reasoning(self, event: ReasoningDelta) -> None:
        run = self._run(event)
        self._board.waiting = None
        self._surface.say(run.thoughts.feed(event.text))
        self._board.thoughts = run.thoughts

    def _called(self, event: ToolCalled) -> None:
        self._end_text(self._run(event))
        self._calls[event.call] = tool_call(event.name, event.arguments)
        self._board.wait_for(self._calls[event.call])

    def _answered(self, event: ToolFinished) -> None:
        for line in tool_lines(self._calls.pop(event.call, event.name), event, self._level()):
            self.aside(line)
        self._board.wait_for(next(reversed(self._calls.values()), self._run(event).model))

    def _step(self, event: StepStarted | StepFinished) -> None:
        steps = self._run(event).steps
        if steps is None:
            return
        lines = steps.take(event)
        for line in lines:
            self.aside(line, dimmed=False)
        if lines or self._board.waiting is None:
            self._board.wait_for(steps.label)
        else:
            self._board.waiting = msgspec.structs.replace(self._board.waiting, label=printable(steps.label))

    def _process(self, event: ProcessFinished) -> None:
        if is_worth_saying(event, self._level(), asked_by_model=bool(self._run(event).model)):
            self.aside(process_line(event))

    def _note(self, event: Note) -> None:
        if is_heard(event, self._level()):
            self.aside(f"onbook: {event.text}", dimmed=event.level != "warning")

    def _finished(self, event: RunFinished) -> None:
        run = self._runs.pop(event.run, None)
        if run is not None:
            self._end_text(run)
        self._board.waiting = None
        if event.error and not (run and run.steps and run.steps.has_said(event.error)):
            self.aside(f"onbook: {event.error}", dimmed=False)
        if event.outcome == "cancelled":
            self.cancelled()
        elif run is not None and run.model:
            if event.totals.context_used is not None:
                self._board.context_used = event.totals.context_used
            if event.outcome == "passed":
                self.aside(f"{run.model} · {statistics(event.totals)}")

    def _run(self, event: Event) -> _Run:
        return self._runs.setdefault(event.run, _Run("", Lines("")))

    def _end_text(self, run: _Run) -> None:
        self._end_thoughts(run)
        self._surface.say(run.text.end())
        self._board.growing = None

    def _end_thoughts(self, run: _Run) -> None:
        if self._board.thoughts is not None:
            self._surface.say(run.thoughts.end())
            run.thoughts, self._board.thoughts = Thoughts(), None


_TAKES: dict[type[Event], Callable[[LiveView, Any], None]] = {
    RunStarted: LiveView._started,
    StepStarted: LiveView._step,
    StepFinished: LiveView._step,
    TextDelta: LiveView._text,
    ReasoningDelta: LiveView._reasoning,
    ToolCalled: LiveView._called,
    ToolFinished: LiveView._answered,
    ProcessFinished: LiveView._process,
    Note: LiveView._note,
    RunFinished: LiveView._finished,
}
