"""Asking at a gate where no session's prompt is drawn: a list to move in, or numbers on a terminal that cannot draw."""

import asyncio
import os
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from onbook.terminal.gate_list import GateList, arrow_keys
from onbook.terminal.line_input import next_line
from onbook.terminal.screen import is_terminal, say_aside, write_aside
from onbook.workflow.gates import Answer, Question, Stopped

if TYPE_CHECKING:
    from prompt_toolkit.application import Application


async def choose(question: Question) -> Answer:
    """What the person at the terminal chose; Stopped where they press Ctrl-C or the terminal ends."""
    listed = GateList(question)
    termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question does not answer it
    write_aside("\n".join(("", *listed.heading, "")))
    answer = await (_in_a_list(listed) if is_terminal(sys.stderr) else _by_number(listed))
    if answer is None:
        raise Stopped(question)
    return answer


async def edit(path: Path) -> bool:
    """Open the file in the person's editor and wait; False where none could be opened."""
    with interrupts_to(asyncio.Event()):  # they are the editor's
        return await asyncio.to_thread(edit_now, path)


def edit_now(path: Path) -> bool:
    """The same, in a thread that may wait."""
    import click

    try:
        click.edit(filename=str(path))
    except (click.ClickException, OSError) as error:
        say_aside(f"onbook: {error}")
        return False
    return True


@contextmanager
def interrupts_to(stop: asyncio.Event) -> Iterator[None]:
    """Inside, Ctrl-C sets the event and cancels nothing."""
    loop = asyncio.get_running_loop()

    def told(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        loop.call_soon_threadsafe(stop.set)

    before = signal.signal(signal.SIGINT, told)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


async def _by_number(listed: GateList) -> Answer | None:
    """Numbered lines and a line of input; None when it ends, and at Ctrl-C."""
    stopped = asyncio.Event()
    with interrupts_to(stopped):
        write_aside("\n".join((*listed.lines, listed.number)))
        while line := await next_line(stopped):
            if answer := listed.entered(line):
                return answer
            write_aside(f"{listed.shown_back(line)}\n{listed.number}")
    write_aside("\n")
    return None


async def _in_a_list(listed: GateList) -> Answer | None:
    """The list, drawn until something is chosen, and wiped."""
    app = _application(listed)
    try:
        answer: Answer | None = await app.run_async(set_exception_handler=False)
    except EOFError:
        return None
    return answer


def _application(listed: GateList) -> "Application[Any]":
    from prompt_toolkit.application import Application
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
    from prompt_toolkit.layout import BufferControl, FormattedTextControl, HSplit, Layout, Window
    from prompt_toolkit.output import ColorDepth
    from prompt_toolkit.output.vt100 import Vt100_Output

    remark: list[str] = []
    buffer = Buffer(multiline=False)
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        answer = listed.entered(buffer.text)
        if answer is not None:
            event.app.exit(result=answer)
            return
        remark[:] = [listed.shown_back(buffer.text)]
        buffer.reset()

    @keys.add("c-c")
    @keys.add("<sigint>")
    @keys.add("c-d")
    def _stop(event: KeyPressEvent) -> None:
        event.app.exit(result=None)

    above = FormattedTextControl(lambda: "\n".join([*listed.lines, *remark, listed.keys]))
    line = Window(BufferControl(buffer), get_line_prefix=lambda *_: "? ", wrap_lines=True, dont_extend_height=True)
    output = Vt100_Output.from_pty(sys.stderr, os.environ.get("TERM"))
    output.enable_cpr = False
    return Application(
        layout=Layout(HSplit([Window(above, wrap_lines=True, dont_extend_height=True), line]), line),
        key_bindings=merge_key_bindings([keys, arrow_keys(lambda: True, listed.move)]),
        output=output,
        color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
        erase_when_done=True,
        terminal_size_polling_interval=None,  # a signal tells
    )
