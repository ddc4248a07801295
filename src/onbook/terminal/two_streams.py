"""Answers on standard output, everything else on standard error, and no line of one in the middle of another's."""

import sys

from onbook.terminal.output import loss
from onbook.terminal.screen import dim, fit_for, is_terminal, marked, printable, write, write_aside


class TwoStreams:
    """Knows what stands on the last line, also where both streams go to one place."""

    def __init__(self) -> None:
        self._last = "\n"
        self._murmured: object = None
        self._gone = False

    def begin(self) -> None:
        """An answer begins, on a line of its own."""
        self._last = "\n"

    def answer(self, text: str) -> None:
        self._end_murmur()
        text = fit_for(sys.stdout, text)
        if text and not self._gone:
            self._last = text[-1]
            try:
                write(sys.stdout, text)
            except OSError as error:
                self._gone = True
                raise loss(error) from None

    def murmur(self, text: str, kind: object, *, dimmed: bool) -> None:
        """What is said in passing, as it comes; another kind begins a line of its own."""
        if self._murmured not in (None, kind):
            self._end_murmur()
        text = printable(text)
        self._murmured = None if text.endswith("\n") else kind
        write_aside(dim(text, sys.stderr) if dimmed else text)

    def aside(self, line: str, *, dimmed: bool = True) -> None:
        """A line beside the answer."""
        self.end_line()
        line = marked(printable(line)) if is_terminal(sys.stderr) else printable(line)
        write_aside((dim(line, sys.stderr) if dimmed else line) + "\n")

    def end_line(self) -> None:
        """What is said next begins a line of its own, also where answers and asides go to one file."""
        if self._last != "\n" and not self._gone:
            self.answer("\n")
        self._end_murmur()

    def _end_murmur(self) -> None:
        if self._murmured is not None:
            self._murmured = None
            write_aside("\n")
