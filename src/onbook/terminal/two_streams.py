"""Answers on standard output, everything else on standard error, and no line of one in the middle of another's."""

import asyncio
import sys

from onbook.terminal.flowing import Flowing
from onbook.terminal.output import loss
from onbook.terminal.screen import at_words, dim, fit_for, is_terminal, marked, printable, width_of, write, write_aside


class TwoStreams:
    """Knows what stands on the last line, also where both streams go to one place."""

    def __init__(self) -> None:
        self._last = "\n"
        self._murmured: object = None
        self._gone = False
        self._deserted = False
        self._answering = Flowing()
        self._murmuring = Flowing()
        self._dimmed = True

    def begin(self) -> None:
        """An answer begins, on a line of its own."""
        self.end_line()
        self._answering = Flowing()

    def answer(self, text: str, *, flows: bool = False) -> None:
        """A piece of the answer. What `flows` is words, of which a terminal breaks none."""
        self._end_murmur()
        text = fit_for(sys.stdout, text)
        if text:
            self._last = text[-1]
            columns = width_of(sys.stdout) if flows else None
            self._write(text if columns is None else self._answering.feed(text, columns))

    def _write(self, text: str) -> None:
        if text and not self._gone:
            try:
                write(sys.stdout, text)
            except OSError as error:
                lost = loss(error)
                self._gone, self._deserted = True, isinstance(lost, asyncio.CancelledError)
                raise lost from None

    def murmur(self, text: str, kind: object, *, dimmed: bool) -> None:
        """What is said in passing, as it comes; another kind begins a line of its own."""
        if self._murmured not in (None, kind):
            self._end_murmur()
        text = printable(text)
        self._murmured, self._dimmed = None if text.endswith("\n") else kind, dimmed
        self._murmur(text)

    def _murmur(self, text: str) -> None:
        columns = width_of(sys.stderr)
        shown = text if columns is None else self._murmuring.feed(text, columns)
        words = shown.rstrip("\n")
        write_aside((dim(words, sys.stderr) if words and self._dimmed else words) + shown[len(words) :])

    def aside(self, line: str, *, dimmed: bool = True) -> None:
        """A line beside the answer; none when its reader has left, who is about to see the next prompt."""
        if self._deserted:
            return
        self.end_line()
        line = at_words(printable(line), width_of(sys.stderr))
        line = marked(line) if is_terminal(sys.stderr) else line
        write_aside((dim(line, sys.stderr) if dimmed else line) + "\n")

    def end_line(self) -> None:
        """What is said next begins a line of its own, also where answers and asides go to one file."""
        if self._last != "\n" and not self._gone:
            self.answer("\n", flows=True)
        self._end_murmur()

    def _end_murmur(self) -> None:
        if self._murmured is not None:
            self._murmured = None
            self._murmur("\n")
            self._murmuring = Flowing()
