"""A reply taken apart as it arrives, for the confidence block in it: text, space, rules, fences and JSON objects.

Ordinary text comes out at once. What waits is what may turn out to be part of a block: white space, the beginning of
a line of rule or fence characters, and an object for as long as it can still be a block.
"""

import re
from typing import Literal

import msgspec

from onbook.confidence.block_reading import reading_in
from onbook.confidence.json_scan import ObjectScan
from onbook.events import Reading

LONGEST = 8_000
"""Characters that are held back at most: a longer block is content."""

Kind = Literal["text", "space", "rule", "fence", "close", "block", "object"]


class Element(msgspec.Struct, frozen=True):
    """A part of the reply. The texts of all elements together are the reply."""

    kind: Kind
    """`block` is an object with nothing but a confidence and its reason. `object` only marks where another one ended;
    its text came before."""
    text: str
    reading: Reading | None = None


class Elements:
    """Takes the reply in any pieces. How it was cut makes no difference, save that texts come in more parts."""

    def __init__(self) -> None:
        self._out: list[Element] = []
        self._line_is_blank = True
        self._marks: str | None = None
        """The line so far, while it may become a rule or a fence."""
        self._fence = ""
        """The marks of the fence that is open."""
        self._object: _Object | None = None
        self._ended: Element | None = None
        """An object behind other text: a block only if nothing follows on its line."""
        self._gap = ""

    @property
    def in_a_line(self) -> bool:
        """Whether only a brace or a new line can begin something."""
        return not (self._line_is_blank or self._object or self._ended)

    def feed(self, piece: str) -> list[Element]:
        """The elements that are certain now."""
        at = 0
        while at < len(piece):
            if self._object is not None:
                at = self._go_on(self._object, piece, at)
            elif self._ended is not None:
                at = self._see_behind(self._ended, piece, at)
            elif self._marks is not None:
                at = self._more_marks(self._marks, piece, at)
            else:
                at = self._prose(piece, at)
        return self._taken()

    def end(self) -> list[Element]:
        """The rest, when the reply is whole."""
        if self._object is not None:
            self._plain(self._object.waiting)
        elif self._ended is not None:
            self._out.append(self._ended)
            self._plain(self._gap)
        elif self._marks is not None:
            self._line_of_marks(self._marks)
        return self._taken()

    def _taken(self) -> list[Element]:
        out, self._out = self._out, []
        return out

    def _prose(self, piece: str, at: int) -> int:
        if space := _SPACE.match(piece, at):
            self._out.append(Element("space", space[0]))
            self._line_is_blank |= "\n" in space[0]
            return space.end()
        if self._line_is_blank and piece[at] in "`~-*_":
            self._marks = ""
            return at
        found = _WORDS.match(piece, at)
        if found is None:
            self._object = _Object(alone=self._line_is_blank)
            return at
        words = found[0].rstrip()
        self._out.append(Element("text", words))
        self._line_is_blank = False
        return at + len(words)

    def _more_marks(self, before: str, piece: str, at: int) -> int:
        end = piece.find("\n", at)
        stop = end if end >= 0 else len(piece)
        line = before + piece[at:stop]
        fits = _MARKS.match(line)
        length = min(fits.end(), LONGEST) if fits else 0
        self._marks = None
        if length < len(line):
            self._plain(line[:length])
            return at + length - len(before)
        if end >= 0:
            self._line_of_marks(line)
        else:
            self._marks = line
        return stop

    def _line_of_marks(self, line: str) -> None:
        bare = line.rstrip()
        if fence := _FENCE.match(bare):
            self._out.append(Element(self._kind_of_fence(fence[1], bare), bare))
        elif len(bare) >= 3:
            self._out.append(Element("rule", bare))
        else:
            self._plain(bare)
        self._line_is_blank = False
        self._plain(line[len(bare) :])

    def _kind_of_fence(self, marks: str, line: str) -> Kind:
        """An opening one with a language ends one that was left open: models forget to close more than they nest."""
        closing = line == marks
        if self._fence and not marks.startswith(self._fence):
            return "text"
        if self._fence and closing:
            self._fence = ""
            return "close"
        self._fence = marks
        return "fence"

    def _go_on(self, here: "_Object", piece: str, at: int) -> int:
        end = here.scan.advance(piece, at)
        here.parts.append(piece[at:end])
        here.size += end - at
        if here.scan.closed:
            self._object = None
            self._object_ended(here)
        elif here.scan.broken:
            self._object = None
            self._plain(here.waiting)
        elif not here.may_be_block:
            self._plain(here.waiting)
            here.shown = len(here.parts)
        return end

    def _object_ended(self, here: "_Object") -> None:
        source = "".join(here.parts)
        reading = reading_in(source)
        if here.may_be_block and reading is not None:
            ended = Element("block", source, reading)
        else:
            self._plain(here.waiting)
            ended = Element("object", "", reading)
        self._line_is_blank = False
        if here.alone:
            self._out.append(ended)
        else:
            self._ended, self._gap = ended, ""

    def _see_behind(self, ended: Element, piece: str, at: int) -> int:
        gap = _GAP.match(piece, at)
        end = gap.end() if gap else at
        self._gap += piece[at:end]
        if end == len(piece) and len(self._gap) <= LONGEST:
            return end
        self._ended = None
        if len(self._gap) <= LONGEST and piece[end] == "\n":
            self._out.append(ended)
            self._plain(self._gap)
        else:
            self._plain(ended.text + self._gap)
        return end

    def _plain(self, text: str) -> None:
        """Text, with the white space around it by itself."""
        body = text.strip()
        begin = text.index(body) if body else len(text)
        end = begin + len(body)
        parts = Element("space", text[:begin]), Element("text", body), Element("space", text[end:])
        self._out.extend(part for part in parts if part.text)
        _, newline, line = text.rpartition("\n")
        self._line_is_blank = (self._line_is_blank or bool(newline)) and not line.strip()


class _Object:
    """An object that has begun."""

    def __init__(self, *, alone: bool) -> None:
        self.scan = ObjectScan()
        self.alone = alone
        """Whether nothing stands before it on its line."""
        self.parts: list[str] = []
        self.size = 0
        self.shown = 0
        """How many of the parts have been let go, since it can be no block."""

    @property
    def may_be_block(self) -> bool:
        return self.scan.only_block_keys and self.size <= LONGEST

    @property
    def waiting(self) -> str:
        return "".join(self.parts[self.shown :])


_SPACE = re.compile(r"\s+")
_WORDS = re.compile(r'(?:[^{\n]+|\{(?=[^\s"}]))+')
"""Up to a new line, or to a brace that can open an object."""
_GAP = re.compile(r"[^\S\n]*")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_MARKS = re.compile(r"([-*_])\1{2,}[^\S\n]*|([-*_])\2?|`{3,}[^`\n]*|~{3,}[^\n]*|`{1,2}|~{1,2}")
"""The beginning of a line that may become a rule or a fence."""
