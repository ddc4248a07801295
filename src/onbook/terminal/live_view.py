"""The view of a session at a terminal: what is complete stays above the prompt, what is growing stands on the board."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from onbook.events import (
    AnyEvent,
    Event,
    GateAnswered,
    GateWaiting,
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
from onbook.terminal.flow_view import FlowView, header, is_flow
from onbook.terminal.growing import Growing, Lines, Thoughts, Words, said_by
from onbook.terminal.harness_view import GateLines, HarnessView
from onbook.terminal.screen import at_words, marked, printable, styled
from onbook.terminal.surface import Surface

if TYPE_CHECKING:
    from onbook.session.live import LogLevel

_SILENCE = 1.0
"""Seconds without a word after which a model that has begun to answer for a step is waited for again."""


@dataclass
class _Run:
    """A run that is going on, and the model that speaks in it, if one does."""

    model: str
    text: Growing
    thoughts: Growing
    speaks: bool = False
    """Whether its model has begun to answer."""
    flow: FlowView | None = None
    """Its steps, if it is a run of steps; those of the run it is for, if it is a prompt."""
    is_prompt: bool = False
    """Whether its model answers for a step, whose own line says how that ended."""


class LiveView:
    """Shows events around and above the prompt. `level` is how much is said beside the answers."""

    def __init__(self, surface: Surface, board: Board, level: "Callable[[], LogLevel]") -> None:
        self._surface = surface
        self._board = board
        self._level = level
        self._runs: dict[str, _Run] = {}
        self._calls: dict[str, str] = {}
        self._loops: set[str] = set()
        self._harness: HarnessView | None = None
        self._gates = GateLines()
        self.said_cancelled = False

    def __call__(self, event: AnyEvent) -> None:
        take = _TAKES.get(type(event))
        if self._harness is not None and self._harness.covers(event):
            self._grow(self._harness, event)
        elif take is not None:
            take(self, event)
        self._surface.refresh()

    def aside(self, line: str, *, dimmed: bool = True) -> None:
        """A line that stays, beside the answers."""
        shown = marked(at_words(printable(line), self._surface.columns))
        self._surface.say((styled("2", shown) if dimmed else shown) + "\n")

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
        self._fell()

    def _started(self, event: RunStarted) -> None:
        if event.speaker is not None:
            self._speaks(event, event.speaker.model)
            return
        flow = FlowView(event) if is_flow(event) else None
        command = event.input if event.kind == "command" else ""
        self._runs[event.run] = _Run("", said_by(command, self._columns), Thoughts(self._columns), flow=flow)
        if event.kind == "harness":
            self._harness = HarnessView(event)
        if event.kind == "loop":
            self._loops.add(event.run)
            self.aside(event.name, dimmed=False)
        if flow is not None and (line := header(event)):
            self.aside(line, dimmed=False)
        self._board.wait_for(in_short(event.input.strip()))

    def _grow(self, harness: HarnessView, event: AnyEvent) -> None:
        """The tree stands on the board; what has ended is said for good."""
        for line in harness.take(event):
            self.aside(line)
        if isinstance(event, ToolFinished) and self._level() == "debug":
            for line in tool_lines(event.name, event, "debug"):
                self.aside(f"  {line}")
        title = printable(harness.title)
        if not title:
            self._board.waiting = None
        elif self._board.waiting is None or self._board.waiting.label != title:
            self._board.wait_for(title)
        self._board.tree = harness.rows

    def _fell(self) -> None:
        """The task has ended, and its tree with it."""
        self._harness = self._board.tree = None

    def _gate(self, event: GateWaiting | GateAnswered) -> None:
        """Whoever asks draws the choices; what was chosen stays on the screen."""
        if isinstance(event, GateWaiting):
            self._gates.waits(event)
        else:
            self.aside(self._gates.answered(event), dimmed=False)

    def _speaks(self, event: RunStarted, model: str) -> None:
        run = self._runs[event.run] = _Run(model, Words(self._columns), Thoughts(self._columns))
        if event.kind == "prompt":
            run.is_prompt = True
            run.flow = self._flow_around(event)
        if run.flow is not None:
            run.flow.asks(event)
        self._board.wait_for(self._label(run))

    def _flow_around(self, event: RunStarted) -> FlowView | None:
        """The run of steps that a prompt is for."""
        if event.step is not None and event.step.within in self._runs:
            return self._runs[event.step.within].flow
        return next((run.flow for run in reversed(self._runs.values()) if run.flow is not None), None)

    def _label(self, run: _Run) -> str:
        """What is waited for: the step that its model works on, or the model and how full its context is."""
        if run.flow is not None:
            return printable(run.flow.label)
        used = self._board.context_used
        return run.model if used is None or not run.model else f"{run.model} | context {used:.0%}"

    def _text(self, event: TextDelta) -> None:
        run = self._run(event)
        self._board.waiting = None
        self._end_thoughts(run)
        if run.is_prompt and run.flow is not None:
            run.flow.hears(event)
            self._board.wait_for(self._label(run), after=_SILENCE)  # it may be asked how sure it is, unheard
        self._surface.say(run.text.feed(event.text))
        self._board.growing = run.text
        if run.model and not run.speaks:  # the word that was waited for does not wait for the next frame
            self._surface.draw(run.text.unfinished)
        run.speaks = True

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
        self._board.wait_for(next(reversed(self._calls.values()), self._label(self._run(event))))

    def _step(self, event: StepStarted | StepFinished) -> None:
        flow = self._run(event).flow
        if flow is None:
            return
        lines = flow.take(event)
        for line in lines:
            self.aside(line, dimmed=False)
        if lines or self._board.waiting is None:
            self._board.wait_for(printable(flow.label))
        else:
            self._board.waiting = msgspec.structs.replace(self._board.waiting, label=printable(flow.label))

    def _process(self, event: ProcessFinished) -> None:
        if self._is_harness(event) and self._level() != "debug":
            return  # the step's own line says how it ended
        if is_worth_saying(event, self._level(), asked_by_model=bool(self._run(event).model)):
            self.aside(process_line(event))

    def _is_harness(self, event: Event) -> bool:
        return self._harness is not None and event.run == self._harness.run

    def _note(self, event: Note) -> None:
        if is_heard(event, self._level()):
            if event.run in self._runs and self._runs[event.run].speaks:  # it comes after what was said
                self._end_text(self._runs[event.run])
            own = event.run in self._loops or self._is_harness(event)  # which speak for themselves
            self.aside(event.text if own else f"onbook: {event.text}", dimmed=not own and event.level != "warning")

    def _finished(self, event: RunFinished) -> None:
        run = self._runs.pop(event.run, None) or self._unheard_of()
        self._end_text(run)
        self._board.waiting = None
        self._forget(event)
        if run.is_prompt:
            self._prompt_ended(event, run)
            return
        if run.flow is not None:
            self._close(event, run.flow)
        if event.error and not (run.flow and run.flow.has_told(event)):
            self.aside(f"onbook: {event.error}", dimmed=False)
        if event.outcome == "cancelled":
            if not self._runs:  # a run inside another leaves it to that one
                self.cancelled()
        elif run.model:
            if event.totals.context_used is not None:
                self._board.context_used = event.totals.context_used
            if event.outcome == "passed":
                self.aside(f"{run.model} · {statistics(event.totals)}")

    def _forget(self, event: RunFinished) -> None:
        """It may be a loop or a task that has ended; a loop has said how far it came."""
        if self._is_harness(event):
            self._fell()
        if event.run in self._loops:
            self._loops.discard(event.run)
            self.said_cancelled |= event.outcome == "cancelled"

    def _prompt_ended(self, event: RunFinished, run: _Run) -> None:
        """How it ended is on the step's line, and what a pipeline's cost in its table. The context of the conversation
        is as it was."""
        if run.flow is not None:
            run.flow.heard_all(event)
        if event.outcome == "passed" and not (run.flow and run.flow.is_pipeline):
            self.aside(f"{run.model} · {statistics(event.totals)}")

    def _close(self, event: RunFinished, flow: FlowView) -> None:
        """A pipeline ends with its table; and with its answer, where another one was heard."""
        if flow.is_pipeline and event.outcome == "passed" and not flow.has_let_hear(event):
            answer = Words(self._columns)
            self._surface.say(answer.feed(event.text) + answer.end())
        for line in flow.table(self._surface.columns):
            self.aside(line)

    def _run(self, event: Event) -> _Run:
        return self._runs.setdefault(event.run, self._unheard_of())

    def _unheard_of(self) -> _Run:
        """A run whose beginning was not seen."""
        return _Run("", Lines(), Thoughts(self._columns))

    def _columns(self) -> int:
        return self._surface.columns

    def _end_text(self, run: _Run) -> None:
        self._end_thoughts(run)
        self._surface.say(run.text.end())
        self._board.growing = None
        run.speaks = False

    def _end_thoughts(self, run: _Run) -> None:
        if self._board.thoughts is not None:
            self._surface.say(run.thoughts.end())
            run.thoughts, self._board.thoughts = Thoughts(self._columns), None


_TAKES: dict[type[Event], Callable[[LiveView, Any], None]] = {
    RunStarted: LiveView._started,
    StepStarted: LiveView._step,
    StepFinished: LiveView._step,
    TextDelta: LiveView._text,
    ReasoningDelta: LiveView._reasoning,
    ToolCalled: LiveView._called,
    ToolFinished: LiveView._answered,
    ProcessFinished: LiveView._process,
    GateWaiting: LiveView._gate,
    GateAnswered: LiveView._gate,
    Note: LiveView._note,
    RunFinished: LiveView._finished,
}
