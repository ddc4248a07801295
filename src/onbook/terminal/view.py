"""The view of a conversation: answers on standard output, everything else on standard error."""

import asyncio
import errno
import sys

from onbook.events import (
    AnyEvent,
    Note,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    TextDelta,
    Totals,
    to_json_line,
)
from onbook.outcome import OnbookError
from onbook.terminal.screen import dim, fit_for, is_terminal, printable, write, write_aside
from onbook.terminal.spinner import Spinner


class OutputLost(OnbookError):
    """Standard output takes no more, for another reason than that its reader left."""


class TextView:
    """Shows events to a person. `streaming=False` holds the answer back until it is known to be good."""

    def __init__(self, *, streaming: bool = True) -> None:
        self._streaming = streaming
        self._spinner: Spinner | None = None
        self._speaker = ""
        self._last = "\n"
        self._silent = False
        self._thinking = False
        self._gone = False

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, TextDelta):
            if self._streaming:
                self._speak()
                self._answer(event.text)
        elif isinstance(event, ReasoningDelta):
            self._think(event.text)
        elif isinstance(event, Note):
            self._stop_spinner()
            self._aside(f"onbook: {event.text}", dimmed=event.level == "info")
            self._wait()
        elif isinstance(event, RunStarted):
            self._speaker = event.speaker.model if event.speaker else ""
            self._last, self._silent = "\n", event.speaker is not None
            self._wait()
        elif isinstance(event, RunFinished):
            self._speak()
            self._finish(event)

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

    def _think(self, text: str) -> None:
        if is_terminal(sys.stderr):
            self._speak()
            self._thinking = True
            write_aside(dim(printable(text), sys.stderr))

    def _finish(self, event: RunFinished) -> None:
        if not self._streaming and event.outcome == "passed":
            self._answer(event.text)
        self._end_line()
        if event.error:
            self._aside(f"onbook: {event.error}", dimmed=False)
        if event.outcome == "cancelled":
            self._aside("Cancelled.", dimmed=False)
        elif event.outcome == "passed" and self._speaker:
            self._aside(f"{self._speaker} · {statistics(event.totals)}")

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
            self._spinner = Spinner(self._speaker)

    def _stop_spinner(self) -> None:
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


def statistics(totals: Totals) -> str:
    """What a turn cost, in one line: `32 + 20 tokens · 0.4 s · context 1%`."""
    about = "~" if totals.estimated else ""
    tokens = f"{about}{totals.prompt_tokens or 0} + {about}{totals.completion_tokens or 0} tokens"
    context = "?" if totals.context_used is None else f"{totals.context_used:.0%}"
    return f"{tokens} · {totals.seconds:.1f} s · context {context}"


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
