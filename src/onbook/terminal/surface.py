"""The terminal below the conversation: what is said for good goes above the prompt, which is drawn again below it."""

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from onbook.cells import cut
from onbook.terminal.screen import printable

if TYPE_CHECKING:
    from prompt_toolkit.application import Application

_SECONDS_A_WRITE = 0.03
"""A program that floods its output must not keep the terminal busy with drawing the prompt."""
_SECONDS_A_GLANCE = 0.003
"""For the terminal to show a first word: it may share our core, which drawing the rest would keep from it."""


class Surface:
    """One terminal. Writing to one that was closed is noticed once, and tells `lost`."""

    def __init__(self) -> None:
        self._app: Application[Any] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lost: Callable[[], None] = lambda: None
        self._waiting: list[str] = []
        self._due: asyncio.TimerHandle | None = None
        self._written = 0.0
        self._lent = False
        self._foreshadowed = False
        self.gone = False

    def show(self, app: "Application[Any]", lost: Callable[[], None]) -> None:
        """From now on, the application's prompt stays below what is said."""
        self._app, self._loop, self._lost = app, asyncio.get_running_loop(), lost

    @property
    def columns(self) -> int:
        if self._app is None:
            from shutil import get_terminal_size

            return get_terminal_size().columns
        return self._app.output.get_size().columns

    def say(self, text: str) -> None:
        """Lines that stay. They are written in a moment, together with what else is said by then."""
        if not text:
            return
        self._waiting.append(text)
        if self._loop is None:
            self.flush()
        elif self._due is None:
            pause = max(self._written + _SECONDS_A_WRITE - time.monotonic(), 0)
            self._due = self._loop.call_later(pause, self.flush)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """While another program has the terminal, what is said waits."""
        self._lent = True
        try:
            yield
        finally:
            self._lent = False
            self.flush()

    def refresh(self) -> None:
        """What stands around the input line has changed; if something is about to be written, it is drawn with that."""
        if self._app is not None and self._due is None:
            self._app.invalidate()

    def draw(self, word: str) -> None:
        """Show now what has changed: for a first word, which somebody waits for."""
        self._flush(word)
        self._written = 0.0  # and what comes next is no flood

    def flush(self) -> None:
        """Write now what was said."""
        self._flush()

    def _flush(self, word: str = "") -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None
        if self._lent:
            return
        text, self._waiting = "".join(self._waiting), []
        if not (text or word or self._foreshadowed) or self.gone:
            return
        try:
            self._write(text, word)
        except OSError:
            self._lose()
        self._written = time.monotonic()

    def _lose(self) -> None:
        self.gone = True
        self._lost()

    def _write(self, text: str, word: str) -> None:
        app = self._app
        if app is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        drawn = app.is_running
        self._foreshadowed = drawn and bool(word)
        if drawn and (text or word):  # what was foreshadowed is drawn over, in one go: it must not vanish in between
            app.renderer.erase()
        if text:
            app.output.write_raw(text.replace("\n", "\r\n"))
            app.output.flush()
        if self._foreshadowed:
            self._foreshadow(app, word)
        elif drawn:
            self._render(app)

    def _foreshadow(self, app: "Application[Any]", word: str) -> None:
        """Write the word where the drawing will put it in a moment: drawing takes longer than the word took to come."""
        app.output.write_raw(cut(printable(word.partition("\n")[0]).replace("\t", " "), self.columns - 1))
        app.output.flush()
        app.output.write_raw("\r")  # for what is drawn next, whoever draws it
        app.output.erase_down()
        if self._loop is not None:
            self._due = self._loop.call_later(_SECONDS_A_GLANCE, self.flush)

    @staticmethod
    def _render(app: "Application[Any]") -> None:
        app.render_counter += 1  # what the windows remember of their last drawing is out of date
        app.renderer.render(app, app.layout)
