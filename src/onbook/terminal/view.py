"""The view of a conversation without a prompt of its own: what is said of each event, and when."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from onbook.terminal.asides import is_heard, is_worth_saying, process_line, statistics, tool_call, tool_lines
from onbook.terminal.flow_view import FlowView, header, is_flow, is_last
from onbook.terminal.growing import is_own_words
from onbook.terminal.harness_view import GateLines, HarnessView
from onbook.terminal.screen import is_terminal, width_of
from onbook.terminal.spinner import Spinner
from onbook.terminal.two_streams import TwoStreams

if TYPE_CHECKING:
    from onbook.session.live import Log, LogLevel


@dataclass(frozen=True)
class _Prompt:
    """A model that answers for a step."""

    flow: FlowView | None
    """The run of steps, if its beginning was seen."""
    stands: bool
    """Whether what it says stands as the answer, once it has passed."""

    @property
    def in_pipeline(self) -> bool:
        return self.flow is not None and self.flow.is_pipeline


class TextView:
    """Shows events to a person. `streaming=False` holds the answer back until it is known to be good."""

    def __init__(self, *, streaming: bool = True) -> None:
        self._streaming = streaming
        self._streams = TwoStreams()
        self._log: Log | None = None
        self._spinner: Spinner | None = None
        self._speakers: dict[str, str] = {}
        self._calls: dict[str, str] = {}
        self._flows: dict[str, FlowView] = {}
        self._prompts: dict[str, _Prompt] = {}
        self._loops: set[str] = set()
        self._wordy: set[str] = set()
        """Runs that speak in words, of a model or of our own, which a terminal should not break."""
        self._harness: HarnessView | None = None
        self._gates = GateLines()
        self._waits_for = ""
        self._silent = False

    def follow(self, log: "Log") -> None:
        """From now on, say as much beside the answers as this session wants."""
        self._log = log

    def __call__(self, event: AnyEvent) -> None:
        if self._harness is not None and self._harness.covers(event):
            self._grow(self._harness, event)
            return
        take = _TAKES.get(type(event))
        if take is not None:
            take(self, event)

    def _started(self, event: RunStarted) -> None:
        model = event.speaker.model if event.speaker else ""
        self._speakers[event.run] = self._waits_for = model
        self._streams.begin()
        self._silent = event.speaker is not None
        if model or (event.kind == "command" and is_own_words(event.input)):
            self._wordy.add(event.run)
        if event.kind == "prompt":
            self._asked(event)
        if event.kind == "loop":
            self._loops.add(event.run)
            self._streams.aside(event.name, dimmed=False)
        if event.kind == "harness":
            self._harness = HarnessView(event)
        if is_flow(event):
            self._flows[event.run] = FlowView(event)
            if line := header(event):
                self._streams.aside(line, dimmed=False)
        self._wait()

    def _asked(self, event: RunStarted) -> None:
        """A model is asked for a step. What the last one of a pipeline says stands as the answer, where the answer
        would be shown on the same screen."""
        latest = next(reversed(self._flows.values()), None)
        flow = self._flows.get(event.step.within) if event.step is not None else latest
        stands = flow is not None and flow.is_pipeline and is_last(event.step) and is_terminal(sys.stdout)
        self._prompts[event.run] = _Prompt(flow, stands)
        if flow is not None:
            flow.asks(event)

    def _grow(self, harness: HarnessView, event: AnyEvent) -> None:
        """A task's tree is for terminals; elsewhere its own lines say all there is to say."""
        lines = harness.take(event)
        if isinstance(event, ToolFinished) and self._level == "debug":
            lines = [f"  {line}" for line in tool_lines(event.name, event, self._level)]
        if not is_terminal(sys.stderr) or not (lines or isinstance(event, StepStarted)):
            return
        self._stop_spinner()
        for line in lines:
            self._streams.aside(line)
        self._silent = bool(harness.title)
        self._wait()

    def _gate(self, event: GateWaiting | GateAnswered) -> None:
        """Whoever asks draws the choices; what was chosen stays on the screen."""
        self._speak()
        if isinstance(event, GateWaiting):
            self._gates.waits(event)
        elif is_terminal(sys.stderr):
            self._streams.aside(self._gates.answered(event), dimmed=False)

    def _text(self, event: TextDelta) -> None:
        prompt = self._prompts.get(event.run)
        if self._is_harness(event):
            self._murmur(event)  # what the checks say
        elif prompt is not None:
            if prompt.flow is not None:
                prompt.flow.hears(event)
            self._murmur(event, dimmed=not prompt.stands)
        elif self._streaming:
            self._speak()
            self._streams.answer(event.text, flows=event.run in self._wordy)

    def _murmur(self, event: ReasoningDelta | TextDelta, *, dimmed: bool = True) -> None:
        """What a model thinks, or what it says in a step whose output is not the answer yet."""
        if is_terminal(sys.stderr):
            self._speak()
            self._streams.murmur(event.text, type(event), dimmed=dimmed)

    def _called(self, event: ToolCalled) -> None:
        self._speak()
        self._streams.end_line()
        self._calls[event.call] = self._waits_for = tool_call(event.name, event.arguments)
        self._silent = True
        self._wait()

    def _tool(self, event: ToolFinished) -> None:
        self._stop_spinner()
        for line in tool_lines(self._calls.pop(event.call, event.name), event, self._level):
            self._streams.aside(line)
        self._waits_for = next(reversed(self._calls.values()), self._speakers.get(event.run, ""))
        self._wait()

    def _step(self, event: StepStarted | StepFinished) -> None:
        flow = self._flows.get(event.run)
        lines = flow.take(event) if flow is not None else []
        if flow is None or "/" in event.address:
            return  # what is inside a step only changes the label, which the spinner asks for
        self._stop_spinner()
        for line in lines:
            self._streams.aside(line, dimmed=False)
        self._silent = isinstance(event, StepStarted)
        self._wait()

    def _is_harness(self, event: Event) -> bool:
        return self._harness is not None and event.run == self._harness.run

    def _process(self, event: ProcessFinished) -> None:
        if self._is_harness(event) and self._level != "debug":
            return  # the step's own line says how it ended
        if is_worth_saying(event, self._level, asked_by_model=bool(self._speakers.get(event.run))):
            self._stop_spinner()
            self._streams.aside(process_line(event))
            self._wait()

    def _note(self, event: Note) -> None:
        if is_heard(event, self._level):
            self._stop_spinner()
            own = event.run in self._loops or self._is_harness(event)  # which speak for themselves
            text = event.text if own else f"onbook: {event.text}"
            self._streams.aside(text, dimmed=not own and event.level != "warning")
            self._wait()
        if event.run in self._prompts and event.level == "debug":  # it has answered, and is asked for more unheard
            self._streams.end_line()
            self._silent = True
            self._wait()

    @property
    def _level(self) -> "LogLevel":
        return self._log.level if self._log is not None else "info"

    def _finished(self, event: RunFinished) -> None:
        self._speak()
        speaker = self._speakers.pop(event.run, "")
        flow = self._flows.pop(event.run, None)
        prompt = self._prompts.pop(event.run, None)
        has_answer = event.outcome == "passed" or (event.text and self._is_harness(event))
        if has_answer and prompt is None and self._is_untold(event, flow):
            self._streams.answer(event.text, flows=flow is not None or self._is_harness(event))
        self._streams.end_line()
        self._wordy.discard(event.run)
        if self._is_harness(event):
            self._harness = None
        if flow is not None:
            self._close(flow)
        if prompt is None:  # a step's own line says how it ended
            self._tell_end(event, flow)
        elif prompt.flow is not None:
            prompt.flow.heard_all(event)
        if event.outcome == "passed" and speaker and not (prompt and prompt.in_pipeline):
            self._streams.aside(f"{speaker} · {statistics(event.totals)}")

    def _is_untold(self, event: RunFinished, flow: FlowView | None) -> bool:
        """Whether the answer has yet to be given: it was held back, or only stood where nothing was to be kept."""
        if flow is None:
            return not self._streaming or self._is_harness(event)
        if not flow.is_pipeline:
            return False
        return not (is_terminal(sys.stdout) and is_terminal(sys.stderr) and flow.has_let_hear(event))

    def _close(self, flow: FlowView) -> None:
        for line in flow.table(width_of(sys.stderr)):
            self._streams.aside(line)

    def _tell_end(self, event: RunFinished, flow: FlowView | None) -> None:
        if event.error and not (flow and flow.has_told(event)):
            self._streams.aside(f"onbook: {event.error}", dimmed=False)
        if self._speakers:  # a run inside another leaves it to that one
            return
        if event.outcome == "cancelled" and not self._loops:  # a loop has said so
            self._streams.aside("Cancelled.", dimmed=False)
        self._loops.clear()

    def _speak(self) -> None:
        """The silence is over."""
        self._silent = False
        self._stop_spinner()

    def _wait(self) -> None:
        self._stop_spinner()
        if self._silent and is_terminal(sys.stderr):
            flow = next(reversed(self._flows.values()), None)
            waits_for, harness = self._waits_for, self._harness
            if harness is not None:
                self._spinner = Spinner(lambda: harness.title, harness.rows)
            else:
                self._spinner = Spinner(lambda: (flow.label if flow else "") or waits_for)

    def _stop_spinner(self) -> None:
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


_TAKES: dict[type[Event], Callable[[TextView, Any], None]] = {
    RunStarted: TextView._started,
    StepStarted: TextView._step,
    StepFinished: TextView._step,
    TextDelta: TextView._text,
    ReasoningDelta: TextView._murmur,
    ToolCalled: TextView._called,
    ToolFinished: TextView._tool,
    ProcessFinished: TextView._process,
    GateWaiting: TextView._gate,
    GateAnswered: TextView._gate,
    Note: TextView._note,
    RunFinished: TextView._finished,
}
