"""Which keys do what, beyond those of every line editor: send, new line, paste, stop, step aside, leave."""

import asyncio
from typing import Protocol

from prompt_toolkit.buffer import Buffer, CompletionState
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.search import stop_search


class Desk(Protocol):
    """Whoever acts on what was typed."""

    def entered(self, line: str) -> bool:
        """A line was sent; whether it is worth remembering."""

    def pasted(self, data: str) -> str:
        """What to insert for a paste."""

    def interrupt(self) -> bool:
        """Ctrl-C; whether there was anything to stop."""

    def leave(self) -> None:
        """Ctrl-D."""

    def suspend(self) -> None:
        """Ctrl-Z."""

    async def edit(self) -> None:
        """Ctrl-X Ctrl-E, as in a shell: go on writing in one's own editor."""


def bindings(buffer: Buffer, desk: Desk) -> KeyBindings:
    """The bindings; where the search line has the focus, its own apply."""
    keys = KeyBindings()
    typing = has_focus(buffer)

    @keys.add("enter", filter=typing)
    def _send(event: KeyPressEvent) -> None:  # noqa: ARG001 - prompt_toolkit's signature, here and below
        if buffer.document.text_before_cursor.endswith("\\") and buffer.document.is_cursor_at_the_end:
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
            return
        buffer.reset(append_to_history=desk.entered(buffer.text))

    @keys.add("escape", "enter", filter=typing)
    def _new_line(event: KeyPressEvent) -> None:  # noqa: ARG001
        buffer.insert_text("\n")

    @keys.add(Keys.BracketedPaste, filter=typing)
    def _paste(event: KeyPressEvent) -> None:
        buffer.insert_text(desk.pasted(event.data))

    @keys.add("c-c")
    @keys.add("<sigint>")
    def _stop(event: KeyPressEvent) -> None:
        if event.app.layout.is_searching:
            stop_search()
        if not desk.interrupt():
            buffer.reset()

    @keys.add("c-d", filter=typing & Condition(lambda: not buffer.text))
    def _leave(event: KeyPressEvent) -> None:  # noqa: ARG001
        desk.leave()

    _step_aside(keys, buffer, desk)
    _Tab(keys, buffer)
    return keys


def _step_aside(keys: KeyBindings, buffer: Buffer, desk: Desk) -> None:
    @keys.add("c-z")
    def _suspend(event: KeyPressEvent) -> None:  # noqa: ARG001
        desk.suspend()

    @keys.add("c-x", "c-e", filter=has_focus(buffer))
    async def _edit(event: KeyPressEvent) -> None:  # noqa: ARG001
        await desk.edit()


class _Tab:
    """Tab takes the next offer, and goes on from the only one, as into a folder. One that comes too early waits."""

    def __init__(self, keys: KeyBindings, buffer: Buffer) -> None:
        self._buffer = buffer
        self._waits = False
        self._begun = False
        """Whether what is typed now is being looked up: the editor first ends the search for what was typed before."""
        keys.add("tab", filter=has_focus(buffer))(self._press)
        buffer.on_completions_changed += self._offer
        buffer.on_text_changed += self._forget

    def _press(self, event: KeyPressEvent) -> None:  # noqa: ARG002
        buffer, state = self._buffer, self._buffer.complete_state
        if state is not None and state.completions and not _took_the_only_one(state):
            buffer.complete_next()
            return
        if state is not None and state.current_completion is not None:
            buffer.apply_completion(state.current_completion)
        self._waits, self._begun = True, False
        buffer.start_completion(insert_common_part=True)

    def _offer(self, buffer: Buffer) -> None:
        if not self._waits:
            return
        state = buffer.complete_state
        if state is None:
            self._waits = not self._begun  # begun and gone again: nothing was found
            if self._waits:
                asyncio.get_running_loop().call_soon(buffer.start_completion)
        elif state.completions:
            self._waits = False
            buffer.complete_next()
        else:
            self._begun = True

    def _forget(self, buffer: Buffer) -> None:  # noqa: ARG002
        self._waits = False


def _took_the_only_one(state: CompletionState) -> bool:
    return len(state.completions) == 1 and state.current_completion is not None
