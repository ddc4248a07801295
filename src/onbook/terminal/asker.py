"""Asking a person whether a model may do something: once, for this session, always, or no."""

import asyncio
import sys
import termios
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

from onbook.terminal.board import Board, Question
from onbook.terminal.line_input import next_line
from onbook.terminal.screen import at_words, printable, width_of, write_aside

if TYPE_CHECKING:
    from onbook.policy.door import Answer
    from onbook.policy.effects import Effect
    from onbook.policy.undo import Change
    from onbook.terminal.gate_list import GateList
    from onbook.workflow.gates import Answer as GateAnswer
    from onbook.workflow.gates import Question as GateQuestion

Edit = Callable[[Path], Awaitable[bool]]
"""Opens a file in the person's editor."""

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


def shown_commands(effect: "Effect") -> list[str]:
    """Each command of what would start by itself, where the reason has no room for all of them."""
    from onbook.policy.effects import LONGEST_ASKED, Start, one_line
    from onbook.policy.secrets import redact

    if not isinstance(effect, Start):
        return []
    joined = ", ".join(effect.commands)
    if one_line(joined) == one_line(joined, LONGEST_ASKED):
        return []
    return [f"{effect.flow} runs:", *(f"  {redact(one_line(each, LONGEST_ASKED))}" for each in effect.commands)]


def question_about(effect: "Effect", reason: str) -> tuple[str, ...]:
    """What is asked, and why it is asked at all."""
    from onbook.policy.effects import LONGEST_ASKED, Start, Write, describe
    from onbook.policy.secrets import redact

    size = f" ({effect.size:,} bytes)" if isinstance(effect, Write) else ""
    who = "your role" if isinstance(effect, Start) else "the model"
    return (redact(f"May {who} {describe(effect, LONGEST_ASKED)}{size}?"), f"  {redact(printable(reason))}")


class PromptAsker:
    """Asks above the input line, whose half-typed text is put aside for as long as the question stands."""

    def __init__(self, board: Board, swap: Callable[[str], str], said: Callable[[str], None], edit: Edit) -> None:
        """`swap` puts a text into the input line and gives the one that was there; `said` prints a line for good."""
        self._board = board
        self._swap = swap
        self._said = said
        self.edit = edit
        self._answer: asyncio.Future[Answer] | None = None
        self._list: GateList | None = None
        self._choice: asyncio.Future[GateAnswer | None] | None = None
        self._draft = ""
        self._typing_until = 0.0

    async def ask(self, effect: "Effect", reason: str, change: "Change | None" = None) -> "Answer":
        for line in (*await asyncio.to_thread(shown_change, change), *shown_commands(effect)):
            self._said(line)
        lines = question_about(effect, reason)
        self._answer = asyncio.get_running_loop().create_future()
        with self._standing(Question(lines, CHOICES)):
            answer = await self._answer
        self._said(f"{lines[0]} {answer}")
        return answer

    async def choose(self, question: "GateQuestion") -> "GateAnswer":
        """What is chosen at a gate of a workflow; Stopped at Ctrl-C."""
        from onbook.terminal.gate_list import GateList
        from onbook.workflow.gates import Stopped

        self._list = GateList(question)
        self._choice = asyncio.get_running_loop().create_future()
        for line in self._list.heading:
            self._said(line)
        with self._standing(Question(tuple(self._list.lines), self._list.keys)):
            answer = await self._choice
        if answer is None:
            raise Stopped(question)
        return answer

    @property
    def lists(self) -> bool:
        """Whether a gate is being asked."""
        return self._choice is not None and not self._choice.done()

    def move(self, by: int) -> None:
        """To another choice of the gate."""
        if self._list is not None:
            self._list.move(by)
            self._board.question = Question(tuple(self._list.lines), self._list.keys)

    def stop(self) -> bool:
        """Leave the gate unanswered; whether there was one."""
        if self._choice is None or self._choice.done():
            return False
        self._choice.set_result(None)
        return True

    def take(self, line: str) -> bool:
        """Whether a question stands; the line is then its answer, or, being none, goes back to what was half typed."""
        if self._choice is not None and self._list is not None and not self._choice.done():
            self._take_choice(line, self._list, self._choice)
            return True
        if self._answer is None or self._answer.done():
            return False
        surprised = self._is_surprised()
        answer = None if surprised else answer_of(line)
        if answer is None:
            self._draft = self._draft + line if surprised else "\n".join(filter(None, (self._draft, line)))
            self._said("onbook: that is no answer to the question; it waits until there is one")
        else:
            self._answer.set_result(answer)
        return True

    def _take_choice(self, line: str, listed: "GateList", choice: "asyncio.Future[GateAnswer | None]") -> None:
        surprised = self._is_surprised()
        answer = None if surprised else listed.entered(line)
        if answer is not None:
            choice.set_result(answer)
            return
        self._said(listed.shown_back(line))
        if surprised:
            self._draft += line

    def _is_surprised(self) -> bool:
        """Whether Enter was meant for what was being typed when the question came; that can happen once."""
        surprised = time.monotonic() < self._typing_until
        self._typing_until = 0.0
        return surprised

    @contextmanager
    def _standing(self, question: Question) -> Iterator[None]:
        """The question, above an empty input line; afterwards what was half typed is back in it."""
        self._board.question = question
        self._draft = self._swap("")
        self._typing_until = time.monotonic() + TYPING if self._draft else 0.0
        try:
            yield
        finally:
            self._board.question = self._answer = self._list = self._choice = None
            self._swap(self._draft)


class LineAsker:
    """Asks on standard error and reads a line, for terminals that can do no more. Cancelling ends the wait."""

    async def ask(self, effect: "Effect", reason: str, change: "Change | None" = None) -> "Answer":
        lines = (*shown_change(change), *shown_commands(effect), *question_about(effect, reason), CHOICES)
        termios.tcflush(sys.stdin, termios.TCIFLUSH)  # what was typed before the question does not answer it
        write_aside(at_words(printable("\n".join(("", *lines))), width_of(sys.stderr)) + "\n? ")
        while True:
            line = await next_line()
            if not line:  # the end of the input is nobody's yes
                return "no"
            if answer := answer_of(line):
                return answer
            write_aside("once, session, always or no? ")

    async def choose(self, question: "GateQuestion") -> "GateAnswer":
        """What is chosen at a gate of a workflow; Stopped at Ctrl-C."""
        from onbook.terminal import gate_asking

        return await gate_asking.choose(question)

    async def edit(self, path: Path) -> bool:
        """Let the person change a file in their own editor."""
        from onbook.terminal import gate_asking

        return await gate_asking.edit(path)
