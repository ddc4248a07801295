"""The session at a terminal: a prompt that is always there, and one line after another carried out behind it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onbook.events import Sink
from onbook.outcome import OnbookError
from onbook.terminal.asides import problem_line
from onbook.terminal.asker import PromptAsker
from onbook.terminal.banner import first_lines, further_lines
from onbook.terminal.board import Board, Typed
from onbook.terminal.completer import SessionCompleter
from onbook.terminal.gate_list import arrow_keys
from onbook.terminal.history import InputHistory
from onbook.terminal.keys import bindings
from onbook.terminal.live_view import LiveView
from onbook.terminal.paste import Pastes
from onbook.terminal.prompt import Editor
from onbook.terminal.signals import cancelling
from onbook.terminal.spinner import SECONDS_A_FRAME
from onbook.terminal.status_line import context_used, status_line
from onbook.terminal.surface import Surface

if TYPE_CHECKING:
    from onbook.session.live import Live, LogLevel

OpenSession = Callable[[Sink], "AbstractAsyncContextManager[Live]"]
"""Opens the session for a view, loading whatever it takes; the prompt is there meanwhile."""


class Repl:
    """Reads, carries out, shows, again. What is entered while something runs waits its turn."""

    def __init__(self, history: InputHistory) -> None:
        self._live: Live | None = None
        self._board = Board()
        self._surface = Surface()
        self._view = LiveView(self._surface, self._board, self._level)
        self._editor = Editor(
            self._board,
            lambda: status_line(self._live, self._board),
            SessionCompleter(lambda: self._live),
            history,
        )
        self._asker = PromptAsker(self._board, self._editor.swap, self._view.aside, self._edit_file)
        self._editor.bind(bindings(self._editor.buffer, self), arrow_keys(lambda: self._asker.lists, self._asker.move))
        self._pastes = Pastes()
        self._entered = asyncio.Event()
        self._running: asyncio.Task[Any] | None = None

    async def run(self, root: Path, role: str | None, open_session: OpenSession) -> None:
        """Until somebody leaves. A session that cannot be opened is raised, and so is being told to stop."""
        asyncio.get_running_loop().set_exception_handler(self._went_wrong)
        for line in first_lines(root, role):
            self._view.aside(line)
        with cancelling():
            working = asyncio.create_task(self._work(open_session))
            drawing = asyncio.create_task(self._draw())
            try:
                await asyncio.wait({working, drawing}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                unasked = working.cancelled()
                working.cancel()
                await _settled(working)
                self.leave()
                if not self._editor.app.is_running:
                    drawing.cancel()
                await _settled(drawing)
                self._surface.flush()
        if self._surface.gone:
            raise asyncio.CancelledError
        if unasked:  # whatever it was, leaving without a word would be worse
            raise RuntimeError("the session was cancelled from within")
        for task in (working, drawing):
            if not task.cancelled() and (problem := task.exception()) is not None:
                raise problem

    def entered(self, line: str) -> bool:
        """The answer to a question, or something to do when its turn comes."""
        if self._asker.take(line):
            return False
        text = self._pastes.open(line)
        if not text.strip():
            return False
        try:
            text.encode()
        except UnicodeEncodeError:
            self._view.aside("onbook: that line is not UTF-8 text", dimmed=False)
            return False
        self._board.queued.append(Typed(line, text))
        self._entered.set()
        return True

    def pasted(self, data: str) -> str:
        try:
            return self._pastes.take(data)
        except OnbookError as error:
            self._view.aside(f"onbook: {error}", dimmed=False)
            return ""

    def interrupt(self) -> bool:
        """Stop what runs, and forget what waits for it: as in a shell. Stopping once is enough, and cleans up.
        A workflow that stands at a gate stops there by itself."""
        if self._asker.stop():
            return True
        if self._running is None and not self._board.queued:
            return False
        if dropped := len(self._board.queued):
            self._board.queued.clear()
            self._view.aside(f"onbook: {dropped} waiting line{'s' if dropped > 1 else ''} dropped")
        if self._running is not None and not self._running.cancelling():
            self._board.state = "stopping"
            self._running.cancel()
        return True

    def leave(self) -> None:
        if self._editor.app.is_running and not self._editor.app.is_done:
            self._editor.app.exit()

    def suspend(self) -> None:
        self._surface.flush()
        self._editor.suspend()

    async def edit(self) -> None:
        with self._surface.lent():
            await self._editor.edit()

    async def _edit_file(self, path: Path) -> bool:
        with self._surface.lent():
            return await self._editor.edit_file(path)

    async def _draw(self) -> None:
        try:
            await self._editor.run(lambda: self._surface.show(self._editor.app, self.leave))
        except (EOFError, OSError):  # the terminal is gone
            self._surface.gone = True

    async def _work(self, open_session: OpenSession) -> None:
        async with open_session(self._view) as live, self._aside(self._prepare(live)):
            self._live = live
            live.door.asker = self._asker
            while not live.exit.asked:
                self._board.state = ""
                self._surface.refresh()
                await self._entered.wait()
                if self._board.queued:
                    typed = self._board.queued.pop(0)
                    await self._carry_out(live, typed)
                else:
                    self._entered.clear()

    async def _carry_out(self, live: "Live", typed: Typed) -> None:
        from onbook.commands.dispatch import carry_out

        self._view.echo(typed.shown)
        self._board.state = "running"
        self._running = asyncio.create_task(carry_out(live, typed.text))
        try:
            await self._watched(self._running)
        finally:
            self._running.cancel()
            await _settled(self._running)
            ended, self._running = self._running, None
            self._view.settle()
        if ended.cancelled():
            self._view.cancelled()
        else:
            self._report(ended.exception())
        if typed.text.lstrip()[:1] in "/!@":  # what a turn measured may not be so any more, or is another model's
            self._board.context_used = context_used(live)

    async def _prepare(self, live: "Live") -> None:
        """What is worth doing before the first question: looking around, choosing a model, loading what draws, and
        asking for the names that Tab completes."""
        for line in await asyncio.to_thread(further_lines, live):
            self._view.aside(line)
        try:
            await live.choice.current()
        except OnbookError as error:
            self._report(error)
        from onbook.terminal import markdown

        await asyncio.to_thread(markdown.load)
        if live.choice.chosen is not None:
            with contextlib.suppress(OnbookError):  # the names of routes are known anyway
                await live.choice.list_models()

    async def _watched(self, task: asyncio.Task[Any]) -> None:
        """Wait for its end. The spinner turns by being drawn again, and so a question comes to sight and a loop counts
        down."""
        progress = ""
        while not task.done():
            await asyncio.wait({task}, timeout=SECONDS_A_FRAME)
            before, progress = progress, self._live.progress.words if self._live is not None else ""
            if self._board.waiting is not None or self._board.question is not None or progress != before:
                self._surface.refresh()

    @asynccontextmanager
    async def _aside(self, work: Any) -> AsyncIterator[None]:
        """Work that goes on beside the block and ends with it."""
        task = asyncio.create_task(work)
        task.add_done_callback(self._ended)
        try:
            yield
        finally:
            task.cancel()
            await _settled(task)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        if not task.cancelled():
            self._report(task.exception())

    def _report(self, problem: BaseException | None) -> None:
        if problem is not None:
            from onbook.policy.secrets import redact

            self._view.aside(redact(problem_line(problem)), dimmed=False)

    def _went_wrong(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:  # noqa: ARG002
        """Drawing happens in callbacks, where nobody catches what a terminal that is gone raises."""
        problem = context.get("exception")
        if isinstance(problem, OSError):
            self._surface.gone = True
            self.leave()
        else:
            self._report(problem)

    def _level(self) -> "LogLevel":
        return self._live.log.level if self._live is not None else "info"


async def _settled(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task that was told to end, however often we are told to hurry: it is cleaning up."""
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            continue
