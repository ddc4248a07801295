"""The view of a conversation: answers on standard output, everything else on standard error."""

import asyncio
import errno
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
    to_json_line,
)
from onbook.outcome import OnbookError
from onbook.terminal.asides import is_heard, is_worth_saying, process_line, statistics, tool_call, tool_lines
from onbook.terminal.screen import dim, fit_for, is_terminal, printable, write, write_aside
from onbook.terminal.spinner import Spinner
from onbook.terminal.steps_view import Steps, header, is_flow

if TYPE_CHECKING:
    from onbook.session.live import Log, LogLevel


class OutputLost(OnbookError):
    """Standard output takes no more, for another reason than that its reader left."""


class TextView:
    """Shows events to a person. `streaming=False` holds the answer back until it is known to be good."""

    def __init__(self, *, streaming: bool = True) -> None:
        self._streaming = streaming
        self._log: Log | None = None
        self._spinner: Spinner | None = None
        self._speakers: dict[str, str] = {}
        self._calls: dict[str, str] = {}
        self._flows: dict[str, Steps] = {}
        self._prompts: set[str] = set()
        self._waits_for = ""
        self._last = "\n"
        self._silent = False
        self._thinking = False
        self._gone = False

    def follow(self, log: "Log") -> None:
        """From now on, say as much beside the answers as this session wants."""
        self._log = log

    def __call__(self, event: AnyEvent) -> None:
        take = _TAKES.get(type(event))
        if take is not None:
            take(self, event)

    def _started(self, event: RunStarted) -> None:
        model = event.speaker.model if event.speaker else ""
        self._speakers[event.run] = self._waits_for = model
        self._last, self._silent = "\n", event.speaker is not None
        if event.kind == "prompt":
            self._prompts.add(event.run)
        if is_flow(event):
            self._flows[event.run] = Steps()
            self._aside(header(event), dimmed=False)
        self._wait()

    def _text(self, event: TextDelta) -> None:
        if event.run in self._prompts:
            self._murmur(event)
        elif self._streaming:
            self._speak()
            self._answer(event.text)

    def _murmur(self, event: ReasoningDelta | TextDelta) -> None:
        """What a model thinks, or what it says in a step whose output is not the answer yet."""
        if is_terminal(sys.stderr):
            self._speak()
            self._thinking = True
            write_aside(dim(printable(event.text), sys.stderr))

    def _called(self, event: ToolCalled) -> None:
        self._speak()
        self._calls[event.call] = self._waits_for = tool_call(event.name, event.arguments)
        self._silent = True
        self._wait()

    def _tool(self, event: ToolFinished) -> None:
        self._stop_spinner()
        for line in tool_lines(self._calls.pop(event.call, event.name), event, self._level):
            self._aside(line)
        self._waits_for = next(reversed(self._calls.values()), self._speakers.get(event.run, ""))
        self._wait()

    def _step(self, event: StepStarted | StepFinished) -> None:
        steps = self._flows.get(event.run)
        lines = steps.take(event) if steps is not None else []
        if steps is None or "/" in event.address:
            return  # what is inside a step only changes the label, which the spinner asks for
        self._stop_spinner()
        for line in lines:
            self._aside(line, dimmed=False)
        self._silent = isinstance(event, StepStarted)
        self._wait()

    def _process(self, event: ProcessFinished) -> None:
        if is_worth_saying(event, self._level, asked_by_model=bool(self._speakers.get(event.run))):
            self._stop_spinner()
            self._aside(process_line(event))
            self._wait()

    def _note(self, event: Note) -> None:
        if is_heard(event, self._level):
            self._stop_spinner()
            self._aside(f"onbook: {event.text}", dimmed=event.level != "warning")
            self._wait()

    @property
    def _level(self) -> "LogLevel":
        return self._log.level if self._log is not None else "info"

    def _answer(self, text: str) -> None:
        if self._thinking:
            self._thinking = False
            write_aside("\n")
        text = fit_for(sys.stdout, text)
        if text and not self._gone:
            self._last = text[-1]
            try:
                write(sys.stdout, text)
            except OSError as error:
                self._gone = True
                raise _loss(error) from None

    def _finished(self, event: RunFinished) -> None:
        self._speak()
        speaker = self._speakers.pop(event.run, "")
        steps = self._flows.pop(event.run, None)
        is_step = event.run in self._prompts
        self._prompts.discard(event.run)
        if not self._streaming and event.outcome == "passed" and steps is None and not is_step:
            self._answer(event.text)
        self._end_line()
        if not is_step:  # a step's own line says how it ended
            self._tell_end(event, steps)
        if event.outcome == "passed" and speaker:
            self._aside(f"{speaker} · {statistics(event.totals)}")

    def _tell_end(self, event: RunFinished, steps: Steps | None) -> None:
        if event.error and not (steps and steps.has_said(event.error)):
            self._aside(f"onbook: {event.error}", dimmed=False)
        if event.outcome == "cancelled":
            self._aside("Cancelled.", dimmed=False)

    def _aside(self, line: str, *, dimmed: bool = True) -> None:
        self._end_line()
        line = printable(line)
        write_aside((dim(line, sys.stderr) if dimmed else line) + "\n")

    def _end_line(self) -> None:
        """What is said next begins a line of its own, also where answers and asides go to one file."""
        if self._last != "\n" and not self._gone:
            self._answer("\n")
        if self._thinking:
            self._thinking = False
            write_aside("\n")

    def _speak(self) -> None:
        """The silence is over."""
        self._silent = False
        self._stop_spinner()

    def _wait(self) -> None:
        if self._silent and is_terminal(sys.stderr):
            steps = next(reversed(self._flows.values()), None)
            waits_for = self._waits_for
            self._spinner = Spinner(lambda: (steps.label if steps else "") or waits_for)

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
    Note: TextView._note,
    RunFinished: TextView._finished,
}


class JsonView:
    """Shows events to a script: one JSON object a line, and nothing else on standard output."""

    def __init__(self) -> None:
        self._gone = False

    def __call__(self, event: AnyEvent) -> None:
        if self._gone:
            return
        try:
            sys.stdout.buffer.write(to_json_line(event))
            sys.stdout.buffer.flush()
        except OSError as error:
            self._gone = True
            raise _loss(error) from None


def _loss(error: OSError) -> BaseException:
    """What ends the turn. A reader or a terminal that left cancels it; it is recorded as far as it came."""
    if error.errno in (errno.EPIPE, errno.EIO):
        return asyncio.CancelledError()
    return OutputLost(f"cannot write the answer to standard output: {error.strerror}")
