"""One command being carried out: the session it works on, and its ways to speak."""

import time
from dataclasses import dataclass, field

from onbook.events import AnyEvent, Note, TextDelta
from onbook.session.live import Live
from onbook.session.pending import Piece


@dataclass
class Call:
    """Handed to every command (`@click.pass_obj`). Commands never print: what they say are events of their run."""

    live: Live
    run: str = ""
    text: list[str] = field(default_factory=list)

    def say(self, text: str) -> None:
        """A part of the result: a line, or several."""
        self.stream(f"{text}\n")

    def stream(self, text: str) -> None:
        """A piece of the result as it comes, wherever its lines end."""
        self.text.append(text)
        self.emit(TextDelta(run=self.run, time=time.time(), text=text))

    def note(self, text: str, level: str = "info") -> None:
        """Something beside the result."""
        self.emit(Note(run=self.run, time=time.time(), text=text, level=level))

    def show_model(self, *pieces: Piece, told: str = "") -> None:
        """Give the model something to read with the next message, and say so where one can follow."""
        for piece in pieces:
            self.live.pending.add(piece)
        if self.live.goes_on:
            self.note(told or f"{', '.join(piece.name for piece in pieces)} goes with the next message")

    def emit(self, event: AnyEvent) -> None:
        self.live.emit(event)
