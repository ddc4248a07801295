"""The input line, the growing text above it and the status line below: one editor that stays while answers stream."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.application.current import set_app
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory, ConditionalAutoSuggest, ThreadedAutoSuggest
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer, ThreadedCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, merge_key_bindings
from prompt_toolkit.key_binding.bindings.auto_suggest import load_auto_suggest_bindings
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Dimension,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.menus import CompletionsMenu
from prompt_toolkit.layout.processors import AppendAutoSuggestion, HighlightIncrementalSearchProcessor
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar

from onbook.terminal.board import Board

PROMPT = "> "
_ROWS_FOR_MENU = 8
_SECONDS_A_DRAWING = 0.03
_STYLE = Style.from_dict(
    {
        "aside": "fg:ansibrightblack",
        "auto-suggestion": "fg:ansibrightblack",
        "question": "bold",
        "prompt": "bold",
        "status": "reverse",
    }
)


class _Output(Vt100_Output):
    """Pastes stay announced as such from the first drawing to the end: one that comes between two is one turn too."""

    def disable_bracketed_paste(self) -> None:
        pass

    def end(self) -> None:
        super().disable_bracketed_paste()
        self.flush()


class Editor:
    """The buffer and its screen. Which keys do what is in `keys.py`."""

    def __init__(self, board: Board, status: Callable[[], str], completer: Completer, history: History) -> None:
        self._board = board
        self._status = status
        self.buffer = Buffer(
            completer=ThreadedCompleter(completer),
            complete_while_typing=Condition(self._completes),
            auto_suggest=ConditionalAutoSuggest(
                ThreadedAutoSuggest(AutoSuggestFromHistory()), Condition(lambda: board.question is None)
            ),
            history=history,
            enable_history_search=False,
            multiline=True,
            tempfile_suffix=".md",
        )
        self._output = cast(_Output, _Output.from_pty(sys.stdout, os.environ.get("TERM")))
        self._output.enable_cpr = False  # nothing here needs to know where the cursor is, and not every terminal says
        self.app: Application[None] = self._application()

    async def run(self, began: Callable[[], None]) -> None:
        """Draw and edit until the application is told to exit. The terminal being gone is an OSError or EOFError."""
        try:
            await self.app.run_async(pre_run=began, set_exception_handler=False)
        finally:
            self._output.end()

    async def edit(self) -> None:
        """Have the user's own editor change what is typed."""
        self._output.end()
        await self.buffer.open_in_editor()

    async def edit_file(self, path: Path) -> bool:
        """Have it change a file; whether it could be opened."""
        from onbook.terminal.gate_asking import edit_now

        self._output.end()
        with set_app(self.app):
            return await run_in_terminal(lambda: edit_now(path), in_executor=True)

    def suspend(self) -> None:
        """Give the terminal back to the shell until it says to go on."""
        self._output.end()
        self.app.suspend_to_background()

    def bind(self, *keys: KeyBindings) -> None:
        self.app.key_bindings = merge_key_bindings([load_auto_suggest_bindings(), *keys])

    def swap(self, text: str) -> str:
        """Put a text into the input line; gives the one that was there."""
        before = self.buffer.text
        self.buffer.cancel_completion()
        self.buffer.document = Document(text)
        return before

    def _completes(self) -> bool:
        """While a command or a name is typed, offers come by themselves; in plain talk they would be in the way."""
        text = self.buffer.text
        return text[:1] in ("/", "@") and "\n" not in text and self._board.question is None

    def _application(self) -> Application[Any]:
        search = SearchToolbar(ignore_case=True)
        line = Window(
            BufferControl(
                self.buffer,
                search_buffer_control=search.control,
                preview_search=True,
                input_processors=[HighlightIncrementalSearchProcessor(), AppendAutoSuggestion()],
            ),
            get_line_prefix=self._prefix,
            height=self._height,
            wrap_lines=True,
            dont_extend_height=True,
        )
        menu = Float(xcursor=True, ycursor=True, content=CompletionsMenu(max_height=_ROWS_FOR_MENU, scroll_offset=1))
        growing = ConditionalContainer(
            Window(FormattedTextControl(self._above), dont_extend_height=True), Condition(lambda: bool(self._above()))
        )
        status = Window(FormattedTextControl(lambda: [("class:status", self._status())]), height=1)
        return Application(
            layout=Layout(FloatContainer(HSplit([growing, line, search, status]), [menu]), line),
            style=_STYLE,
            output=self._output,
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            erase_when_done=True,
            min_redraw_interval=_SECONDS_A_DRAWING,
            terminal_size_polling_interval=None,  # a signal tells
        )

    def _prefix(self, line: int, wrap: int) -> StyleAndTextTuples:
        first = line == wrap == 0
        return [("class:prompt", ("? " if self._board.question else PROMPT) if first else "  ")]

    def _height(self) -> Dimension:
        """Room for the menu while there is one: it can only be drawn over what is ours."""
        rows = self.app.output.get_size().rows
        most = max(rows // 2, 1)
        return Dimension(min=min(_ROWS_FOR_MENU + 1, most) if self.buffer.complete_state else 1, max=most)

    def _above(self) -> StyleAndTextTuples:
        size = self.app.output.get_size()
        shown = self._board.above(size.columns, min(max(size.rows // 2 - 2, 5), max(size.rows - 3, 0)))
        return [*shown[:-1], (shown[-1][0], shown[-1][1].removesuffix("\n"))] if shown else []
