"""A gate as a list: a number and a label for each choice, what comes of it, and one's own words last."""

import sys
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from onbook.cells import in_rows
from onbook.terminal.screen import printable, width_of
from onbook.workflow.answers import answer_in
from onbook.workflow.gates import Answer, Question
from onbook.workflow.messages import catalogue, has_text

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

_LONGEST_SHOWN_BACK = 200
_LONGEST_NUMBER = 10
"""Digits; Python refuses to read thousands of them."""


class GateList:
    """One gate while it is asked. Nothing is chosen at first, so that a stray Enter passes no gate."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._words = catalogue(question.lang)
        self._at: int | None = None
        self._written = ""

    @property
    def heading(self) -> list[str]:
        """What is asked; it is said once, and stays on the screen."""
        from onbook.policy.secrets import redact

        asked = [printable(self._question.header), *redact(printable(self._question.text)).splitlines()]
        return [row for line in asked for row in _rows_of(line)]

    @property
    def lines(self) -> list[str]:
        """The choices, with a mark at the one that the arrow keys have reached."""
        choices = [
            printable(f"{'❯' if index == self._at else ' '} {index + 1}. {label}" + (f" — {means}" if means else ""))
            for index, (label, means) in enumerate(self._rows())
        ]
        return [row for line in choices for row in _rows_of(line, "     ")]

    @property
    def keys(self) -> str:
        """How one chooses."""
        return self._words("ask.keys")

    @property
    def number(self) -> str:
        """The same for where there are no arrow keys."""
        return self._words("ask.number")

    def move(self, by: int) -> None:
        """To the next choice, or the one before; from the last to the first."""
        rows = len(self._rows())
        self._at = (0 if by > 0 else rows - 1) if self._at is None else (self._at + by) % rows

    def entered(self, line: str) -> Answer | None:
        """The answer that a line is, or that the mark stands at; None where it is none."""
        if line.strip() and not line.strip().isdecimal():
            answer = answer_in(self._question, line)
        else:
            answer = self._option(self._picked(line))
        return msgspec.structs.replace(answer, before=self._written) if answer else None

    def shown_back(self, line: str) -> str:
        """What is said to a line that was no answer: whoever picks the last row is told what it is for."""
        if self._picked(line) == len(self._question.options):
            return "\n".join(_rows_of(printable(": ".join(self._rows()[-1]))))
        self._written = line.strip()
        written = textwrap.shorten(line, _LONGEST_SHOWN_BACK, placeholder="…") if line.strip() else "⏎"
        return "\n".join(_rows_of(self._words("ask.no_answer", text=printable(written))))

    def _picked(self, line: str) -> int | None:
        """The row that a number names, or that the mark stands at while nothing is written."""
        number = line.strip()
        if number:
            return int(number) - 1 if number.isdecimal() and len(number) < _LONGEST_NUMBER else None
        return self._at

    def _option(self, index: int | None) -> Answer | None:
        options = self._question.options
        return Answer(options[index].choice) if index is not None and 0 <= index < len(options) else None

    def _rows(self) -> list[tuple[str, str]]:
        own = f"gate.{self._question.gate}.other.means"
        means = self._words(own if has_text(own) else "ask.other.means")
        options = [(option.label, option.description) for option in self._question.options]
        return [*options, (self._words("ask.other"), means)]


def _rows_of(line: str, hanging: str = "") -> list[str]:
    """The line, broken between words where the terminal would break it in the middle of one."""
    room = width_of(sys.stderr)
    return [line] if room is None else in_rows(line, room - 1, hanging)


def arrow_keys(standing: Callable[[], bool], moved: Callable[[int], None]) -> "KeyBindings":
    """Up and down move through the list for as long as one stands; otherwise they mean what they always mean."""
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    stands = Condition(standing)

    @keys.add("up", filter=stands, eager=True)
    def _up(event: "KeyPressEvent") -> None:  # noqa: ARG001 - prompt_toolkit's signature, here and below
        moved(-1)

    @keys.add("down", filter=stands, eager=True)
    def _down(event: "KeyPressEvent") -> None:  # noqa: ARG001
        moved(1)

    return keys
