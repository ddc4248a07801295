"""What waits to go along with the next message: files read, output of programs, passages found, pictures."""

import re
from collections.abc import Sequence

import msgspec

from onbook.models.messages import Image
from onbook.policy.secrets import redact
from onbook.session.attachments import Prompt


class Piece(msgspec.Struct, frozen=True):
    """One thing for the model to read: `name` is its heading and how the record names it."""

    name: str
    text: str = ""
    image: Image | None = None

    @property
    def label(self) -> str:
        """The piece as the record names it, with what it is and its size."""
        if self.image is not None:
            return f"{self.name} ({self.image.media_type}, {len(self.image.data)} bytes)"
        return f"{self.name} (text, {len(self.text.encode('utf-8', 'replace'))} bytes)"


class Pending:
    """The pieces in the order they came. They leave when the message they went with was answered, not before."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(self._pieces)

    def add(self, piece: Piece) -> None:
        """A newer piece of the same name takes the older one's place: nobody wants a file twice."""
        self._pieces = [each for each in self._pieces if each.name != piece.name]
        self._pieces.append(piece)

    def prompt(self, text: str) -> Prompt:
        """The message with everything that waits."""
        return prompt_with(text, self._pieces)

    def drop(self, pieces: Sequence[Piece]) -> None:
        """These have been delivered, or are not wanted any more."""
        self._pieces = [each for each in self._pieces if each not in pieces]


def prompt_with(text: str, pieces: Sequence[Piece]) -> Prompt:
    """The pieces without their keys, then the question: small models answer what they read last."""
    texts = [fenced(piece.name, redact(piece.text)) for piece in pieces if piece.image is None]
    images = tuple(piece.image for piece in pieces if piece.image is not None)
    return Prompt("\n\n".join([*texts, text] if text else texts), images, tuple(piece.label for piece in pieces))


def fenced(name: str, content: str) -> str:
    """The text in a fence longer than any inside it, so that it cannot end its own frame."""
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence} {name}\n{content.removesuffix(chr(10))}\n{fence}"
