"""Asking a person whether a model may do something: once, for this session, always, or no."""

import asyncio
import sys
import termios
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from onbook.terminal.board import Board, Question
from onbook.terminal.screen import printable, write_aside

if TYPE_CHECKING:
    from onbook.policy.door import Answer
    from onbook.policy.effects import Effect
    from onbook.policy.undo import Change

TYPING = 0.7
"""Seconds after a question appeared in which Enter may still belong to the line that was being typed."""
CHOICES = "o once · s for this session · a always · n no (Enter means no)"
MOST_LINES = 60
"""Of a change, before a question; more would push its beginning out of sight."""
_WORDS = ("once", "session", "always", "no")


def answer_of(line: str) -> "Answer | None":
    """The answer that was typed: a word or its first letter, in any case; an empty line is a no, a mere yes is once."""
    typed = line.strip().casefold() or "no"
    if typed in ("y", "yes"):
        return "once"
    found = next((word for word in _WORDS if typed in (word, word[0])), None)
    return cast("Answer | None", found)


def shown_change(change: "Change | None") -> list[str]:
    """What would become of the file: nobody can say yes to what they have not seen."""
    if change is None:
        return []
    from onbook.policy.secrets import redact
    from onbook.session.differences import unified

    lines = [redact(printable(line)) for line in unified(change)]
    left_out = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], *([f"… {left_out:,} more lines"] if left_out > 0 else [])]


def question_about(effect: "Effect", reason: str) -> tuple[str, ...]:
    """What is asked, and why it is asked at all."""
    from onbook.policy.effects import LONGEST_ASKED, Start, Write, describe
    from onbook.policy.secrets import redact

    size = f" ({effect.size:,} bytes)" if isinstance(effect, Write) else ""
    who = "your role" if isinstance(effect, Start) else "the model"
    return (redact(f"May {who} {describe(effect, LONGEST_ASKED)}{size}?"), f"  {redact(printable(reason))}")


class PromptAsker:
    """Asks above the input line, whose half-typed text is put aside for as long as the question stands."""

    def __init__(self, board: Board, swap: Callable[[str], str], said: Callable[[str], None]) -> None:
        """`swap` puts a text into the input line and gives the one that was there; `said` prints a line for good."""
        self._board = board
        self._swap = swap
        self._said = said
        self._answer: asyncio.Future[Answer] | None = None
        self._draft = ""
        self._typing_until = 0.0

    async def ask(self, effect: "Effect", reason: str, change: "Change | None" = None) -> "Answer":
        for line in await asyncio.to_thread(shown_change, change):
            self._said(line)
        lines = question_about(effect, reason)
        self._answer = asyncio.get_running_loop().create_future()
        self._board.question = Question(lines, CHOICES)
        self._draft = self._swap("")
        self._typing_until = time.monotonic() + TYPING if self._draft else 0.0
        try:
            answer = await self._answer
        finally:
            self._board.question = self._answer = None
            self._swap(self._draft)
        self._said(f"{lines[0]} {answer}")
        return answer

    def take(self, line: str) -> bool:
        """Whether a question stands; the line is then its answer, or, being none, goes back to what was half typed."""
        if self._answer is None or self._answer.done():
            return False
        surprised = time.monotonic() < self._typing_until
        self._typing_until = 0.0
        answer = None if surprised else answer_of(line)
        if answer is None:
            self._draft = self._draft + line if surprised else "\n".join(filter(None, (self._draft, line)))
            self._said("onbook: that is no answer to the question; it waits until there is one")
        else:
            self._answer.set_result(answer)
        return True


class LineAsker:
    """Asks on standard error and reads a line, for terminals that can do no more. Cancelling ends the wait."""

    async def ask(self, effect: "Effect", reason: str, change: "Change | None" = None) -> "Answer":
        lines = (*shown_change(change), *question_about(effect, reason), CHOICES)
        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question does not answer it
        write_aside(printable("\n".join(("", *lines))) + "\n? ")
        while True:
            line = await _line()
            if not line:  # the end of the input is nobody's yes
                return "no"
            if answer := answer_of(line):
                return answer
            write_aside("once, session, always or no? ")


async def _line() -> str:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(sys.stdin, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.buffer.readline().decode("utf-8", "replace")
