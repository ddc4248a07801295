"""A session without a terminal to draw on: a line a turn, Ctrl-C stops what runs, Ctrl-D leaves. No control codes."""

import asyncio
import sys

from onbook.commands.dispatch import carry_out
from onbook.outcome import Outcome, UsageError
from onbook.policy.secrets import redact
from onbook.session.live import Live
from onbook.terminal.asides import problem_line
from onbook.terminal.screen import say_aside, write_aside
from onbook.terminal.signals import cancelling, held_back, leaving

PROMPT = "> "


def talk(runner: asyncio.Runner, live: Live) -> Outcome:
    """Turns until the input ends. At a terminal, what went wrong in one turn is said and the next one can begin.

    A person saw each outcome; a script only has the exit code, so it gets the first that was not good.
    """
    at_terminal = sys.stdin.isatty()
    outcome = Outcome.PASSED
    try:
        with leaving():
            while not live.exit.asked and (line := _next_line()) is not None:
                if not line.strip():
                    continue
                ended = _turn(runner, live, line, at_terminal=at_terminal)
                if outcome is Outcome.PASSED:
                    outcome = ended
                if ended is Outcome.BUDGET_SPENT and not at_terminal:
                    break
    except asyncio.CancelledError:  # told to stop, or nobody reads the answers any more
        return Outcome.CANCELLED
    return Outcome.PASSED if at_terminal else outcome


def _turn(runner: asyncio.Runner, live: Live, line: str, *, at_terminal: bool) -> Outcome:
    turn = _cancellable(live, line)
    try:
        with held_back():
            return runner.run(turn)
    except KeyboardInterrupt:
        if not at_terminal:  # nobody is there to type another line
            raise asyncio.CancelledError from None
        return Outcome.CANCELLED
    except Exception as error:
        if not at_terminal:
            raise
        say_aside(redact(problem_line(error)))
        return Outcome.FAILED
    finally:
        turn.close()  # Python complains of one that Ctrl-C met before it began


async def _cancellable(live: Live, line: str) -> Outcome:
    with cancelling():
        return await carry_out(live, line)


def _next_line() -> str | None:
    """A line from the user, or None at the end of the input. Ctrl-C on a half-typed line drops the line."""
    if not sys.stdin.isatty():
        return _piped_line()
    while True:
        try:
            return _typed_line()
        except KeyboardInterrupt:
            write_aside("\n")
        except UnicodeDecodeError:
            say_aside("onbook: that line is not UTF-8 text")
        except EOFError:
            write_aside("\n")
            return None


def _typed_line() -> str:
    write_aside(PROMPT)
    line = sys.stdin.buffer.readline()
    if not line:
        raise EOFError
    return line.decode("utf-8").removesuffix("\n")


def _piped_line() -> str | None:
    try:
        line = sys.stdin.buffer.readline().decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8 text") from None
    if "\0" in line:
        raise UsageError("standard input is binary, not text")
    return line.rstrip("\r\n") if line else None
