"""Holding back from the screen what may be a confidence block, so that it never appears, not even for a moment."""

import re

from onbook.confidence.elements import LONGEST, Element, Elements
from onbook.confidence.stripping import append, first_block, lead_of, lines_after, without_blocks
from onbook.events import Reading

MOST_LINES_AFTER = 2
"""Lines of text that may follow a block. With more it stands in the middle, and is content."""


class Holder:
    """Takes a reply in pieces and gives back what may be shown.

    A block goes with its fence and the rule above it, unless it turns out to be content: another object or too much
    text follows. Whatever is shown, all together, is the reply without its blocks.
    """

    def __init__(self) -> None:
        self.reading: Reading | None = None
        """What the last object says about confidence; certain after `end`."""
        self._elements = Elements()
        self._held: list[Element] = []
        self._size = 0
        self._shown: list[str] = []
        self._begun = False
        self._content: _Content | None = None

    def feed(self, piece: str) -> str:
        """What may be shown now."""
        if not self._held and self._content is None and self._elements.in_a_line and _ORDINARY.fullmatch(piece):
            return piece
        for element in self._elements.feed(piece):
            self._take(element)
        return self._given()

    def end(self) -> str:
        """What is left to show when the reply is whole."""
        for element in self._elements.end():
            self._take(element)
        self._settle(more_lines=True, whole=True)
        blocks = [element for element in self._held if element.kind == "block"]
        if blocks:
            self.reading = blocks[-1].reading
        elif self._content is not None and self._content.lines <= MOST_LINES_AFTER:
            self.reading = self._content.reading
        self._show(without_blocks(self._held, after_text=self._begun))
        self._held = []
        return self._given()

    def _take(self, element: Element) -> None:
        if element.kind == "object":
            self._let_go(len(self._held))
            self._content = _Content(element.reading)
            return
        if element.kind == "block":
            self._content = None
        elif self._content is not None:
            self._content.followed_by(element)
        if element.kind == "text" and first_block(self._held) is None:
            self._let_go(len(self._held))
            self._show(element.text)
        else:
            append(self._held, element)
            self._size += len(element.text)
            self._settle(more_lines=element.kind not in ("space", "block"))

    def _settle(self, *, more_lines: bool, whole: bool = False) -> None:
        """Let go what can be no part of a block any more."""
        held = self._held
        block = first_block(held)
        while block is not None:
            too_many = more_lines and lines_after(held, block, whole=whole) > MOST_LINES_AFTER
            if not too_many and self._length_from(lead_of(held, block)) <= LONGEST:
                break
            self._let_go(block + 1)
            block = first_block(held)
        start = lead_of(held, block) if block is not None else self._possible_lead()
        self._let_go(start - 1 if start and held[start - 1].kind == "space" else start)
        self._shorten_space()

    def _possible_lead(self) -> int:
        """Where the fence or rule begins, at the end, that would go with a block if one came next."""
        end = len(self._held)
        marks = [at for at in range(lead_of(self._held, end), end) if self._held[at].kind != "space"]
        return next((at for at in marks if self._length_from(at) <= LONGEST), end)

    def _length_from(self, start: int) -> int:
        return self._size - sum(len(element.text) for element in self._held[:start])

    def _shorten_space(self) -> None:
        """Of endless white space, only the end is held."""
        if self._held and self._held[0].kind == "space" and len(self._held[0].text) > LONGEST:
            space = self._held[0].text
            self._held[0] = Element("space", space[-LONGEST:])
            self._size -= len(space) - LONGEST
            self._show(space[:-LONGEST])

    def _let_go(self, count: int) -> None:
        text = "".join(element.text for element in self._held[:count])
        del self._held[:count]
        self._size -= len(text)
        self._show(text)

    def _show(self, text: str) -> None:
        if text:
            self._shown.append(text)
            self._begun = True

    def _given(self) -> str:
        shown = "".join(self._shown)
        self._shown.clear()
        return shown


class _Content:
    """An object that stays: it gives its score all the same, if no more text follows it than may follow a block."""

    def __init__(self, reading: Reading | None) -> None:
        self.reading = reading
        self.lines = 0
        self._line_is_new = True

    def followed_by(self, element: Element) -> None:
        if element.kind == "close" and self.lines == 0:
            return
        for number, line in enumerate(element.text.split("\n")):
            self._line_is_new |= number > 0
            if self._line_is_new and line.strip():
                self.lines += 1
                self._line_is_new = False


_ORDINARY = re.compile(r"[^{\n]*[^{\s]")
