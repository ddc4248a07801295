"""The view of a conversation: answers on standard output, everything else on standard error."""

import asyncio
import sys
from typing import TextIO

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
from onbook.terminal.screen import dim, is_terminal, printable
from onbook.terminal.spinner import Spinner


class TextView:
    """Shows events to a person. `streaming=False` holds the answer back until it is known to be good."""

    def __init__(self, *, streaming: bool = True) -> None:
        self._streaming = streaming
        self._spinner: Spinner | None = None
        self._speaker = ""
        self._last = "\n"
        self._thinking = False
        self._gone = False

    def __call__(self, event: AnyEvent) -> None:
        self._stop_spinner()
        if isinstance(event, TextDelta):
            if self._streaming:
                self._answer(event.text)
        elif isinstance(event, ReasoningDelta):
            self._think(event.text)
        elif isinstance(event, Note):
            self._aside(f"onbook: {event.text}")
        elif isinstance(event, RunStarted):
            self._speaker = event.speaker.model
            self._last = "\n"
            self._wait()
        elif isinstance(event, RunFinished):
            self._finish(event)

    def _answer(self, text: str) -> None:
        if self._thinking:
            self._thinking = False
            _write(sys.stderr, "\n")
        if is_terminal(sys.stdout):
            text = printable(text)
        if text and not self._gone:
            self._last = text[-1]
            try:
                _write(sys.stdout, text)
            except BrokenPipeError:
                # Nobody reads any more: the turn ends here, and is recorded as far as it came.
                self._gone = True
                raise asyncio.CancelledError from None

    def _think(self, text: str) -> None:
        if is_terminal(sys.stderr):
            self._thinking = True
            _write(sys.stderr, dim(printable(text), sys.stderr))

    def _finish(self, event: RunFinished) -> None:
        passed = event.outcome == "passed"
        if not self._streaming and passed:
            self._answer(event.text)
        if self._last != "\n" and not self._gone:
            self._answer("\n")
        if event.error:
            self._aside(f"onbook: {event.error}")
        elif event.outcome == "cancelled":
            self._aside("Cancelled.")
        else:
            self._aside(f"{self._speaker} · {statistics(event.totals)}")

    def _aside(self, line: str) -> None:
        if self._thinking or (self._last != "\n" and is_terminal(sys.stdout)):
            _write(sys.stderr, "\n")
            self._thinking = False
            self._last = "\n"
        _write(sys.stderr, dim(printable(line), sys.stderr) + "\n")

    def _wait(self) -> None:
        if is_terminal(sys.stderr):
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
        except BrokenPipeError:
            self._gone = True
            raise asyncio.CancelledError from None


def _write(stream: TextIO, text: str) -> None:
    stream.write(text)
    stream.flush()
