"""The conversation at the prompt: a line a turn, Ctrl-C stops an answer, Ctrl-D leaves."""

import asyncio
import sys

from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.turn import Chat
from onbook.terminal.screen import is_terminal

PROMPT = "> "


def talk(runner: asyncio.Runner, chat: Chat) -> Outcome:
    """Turns until the input ends. What went wrong in one turn is said and the next one can begin."""
    outcome = Outcome.PASSED
    while (line := _next_line()) is not None:
        if not line.strip():
            continue
        try:
            outcome = runner.run(chat.turn(Prompt(line))).outcome
        except (KeyboardInterrupt, asyncio.CancelledError):
            outcome = Outcome.CANCELLED
    # In a terminal the person saw each outcome; a script only has the exit code.
    return Outcome.PASSED if sys.stdin.isatty() else outcome


def _next_line() -> str | None:
    """A line from the user, or None at the end of the input. Ctrl-C on a half-typed line drops the line."""
    while True:
        try:
            if is_terminal(sys.stdin) and is_terminal(sys.stdout):
                return _edited_line()
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            continue
        except EOFError:
            sys.stderr.write("\n")
            return None
        return line.removesuffix("\n") if line else None


def _edited_line() -> str:
    import readline  # noqa: F401 - its import is what gives input() line editing and history

    return input(PROMPT)
