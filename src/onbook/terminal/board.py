"""What stands around the input line at this moment, for the screen to draw: nothing here prints."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from onbook.terminal.spinner import FRAMES, PATIENCE, SECONDS_A_FRAME
from onbook.terminal.wrapping import last_rows

if TYPE_CHECKING:
    from onbook.terminal.growing import Growing

Fragments = list[tuple[str, str]]
"""Pieces of text, each after the class it is drawn in."""


class Typed(msgspec.Struct, frozen=True):
    """A line somebody entered: as it was shown, and with its folded pastes opened."""

    shown: str
    text: str


class Waiting(msgspec.Struct, frozen=True):
    """What the spinner says, and since when."""

    label: str
    since: float


class Question(msgspec.Struct, frozen=True):
    """Something only a person can decide."""

    lines: tuple[str, ...]
    choices: str


@dataclass
class Board:
    """Written by the view, the asker and the loop; read when the screen is drawn."""

    growing: "Growing | None" = None
    """The answer, of which a part is not complete enough to be drawn for good."""
    thoughts: "Growing | None" = None
    waiting: Waiting | None = None
    tree: Callable[[], list[str]] | None = None
    """Who works on a task, below the spinner that names the phase."""
    queued: list[Typed] = field(default_factory=list)
    question: Question | None = None
    state: str = "starting"
    context_used: float | None = None

    def wait_for(self, label: str, after: float = 0.0) -> None:
        """Say so from now on, or after so many seconds."""
        self.waiting = Waiting(label, time.monotonic() + after)

    def above(self, columns: int, rows: int) -> Fragments:
        """What is drawn above the input line, at most so many rows of it: the latest."""
        below = [*self._question(), *(f"queued: {_first_line(each.shown)}" for each in self.queued[:3])]
        if len(self.queued) > 3:
            below.append(f"… and {len(self.queued) - 3} more")
        below = [*self._spinner(), *below]
        fitting = [row for line in below for row in last_rows(line, columns, rows)][:rows]
        room = max(rows - len(fitting), 0)
        unfinished = self.growing.unfinished if self.growing else ""
        thought = self.thoughts.unfinished if self.thoughts else ""
        growing = last_rows(unfinished or thought, columns, room)
        style = "" if unfinished else "class:aside"
        aside = "class:question" if self.question else "class:aside"
        return [*((style, f"{row}\n") for row in growing), *((aside, f"{row}\n") for row in fitting)]

    def _question(self) -> list[str]:
        return [*self.question.lines, self.question.choices] if self.question else []

    def _spinner(self) -> list[str]:
        if self.waiting is None or self.question is not None:
            return []
        gone = time.monotonic() - self.waiting.since
        if gone < PATIENCE:
            return []
        frame = FRAMES[int(gone / SECONDS_A_FRAME) % len(FRAMES)]
        rows = self.tree() if self.tree is not None else []
        return [f"{frame} {self.waiting.label} | {gone:.0f}s", *(f"  {row}" for row in rows)]


def _first_line(text: str) -> str:
    first, more, _ = text.partition("\n")
    return first + (" …" if more else "")
