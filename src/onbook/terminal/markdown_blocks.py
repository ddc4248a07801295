"""Markdown as it streams in, cut where a block is known to be complete: only then can it be drawn for good."""

import re
from typing import NamedTuple

LONGEST = 20_000
"""Characters after which a block is given out in pieces: drawing it in one go would hold up the keyboard."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,})[^`\n]*$")
_ITEM = re.compile(r"\s{0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)")


class Block(NamedTuple):
    """A part of the text. What is not whole is a piece of a block that is too long, to be shown as it is."""

    text: str
    whole: bool


class MarkdownBlocks:
    """Text goes in piece by piece; blocks come out. All that comes out, joined, is what went in."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        """Complete lines that are held back."""
        self._rest = ""
        """The line that is still growing."""
        self._held = 0
        self._begin()

    def _begin(self) -> None:
        """Nothing is known yet of the block that comes next."""
        self._list: bool | None = None
        self._fence = ""
        self._blank = False
        """A blank line was seen in a list: the next line decides whether the list goes on."""
        self._pieces = False
        self._inside_line = False

    @property
    def unfinished(self) -> str:
        """What came in and has not gone out."""
        return "".join(self._lines) + self._rest

    def feed(self, text: str) -> list[Block]:
        """The blocks that are complete now, each with its line ends and the blank line after it."""
        *lines, self._rest = (self._rest + text).split("\n")
        done: list[Block] = []
        for line in lines:
            done += self._line(f"{line}\n")
        if self._held + len(self._rest) > LONGEST:
            self._pieces, self._inside_line = True, bool(self._rest)
            done.append(self._out())
        return done

    def end(self) -> list[Block]:
        """What is left, now that nothing follows."""
        last, self._rest = self._rest, ""
        done = self._line(last) if last else []
        left = self._out()
        self._begin()
        return [*done, left] if left.text else done

    def _line(self, line: str) -> list[Block]:
        done = []
        if self._inside_line:  # its beginning was given out already: it cannot be judged
            self._inside_line = False
        else:
            if self._blank and line.strip() and not self._goes_on(line):
                done.append(self._cut())
            if self._list is None:
                self._list = _ITEM.match(line) is not None
            if self._judge(line):
                self._hold(line)
                return [*done, self._cut()]
        self._hold(line)
        return done

    def _judge(self, line: str) -> bool:
        """Whether the line is certainly the last of its block."""
        if self._fence:
            if _closes(line, self._fence):
                self._fence = ""
                return not self._list
        elif found := _FENCE.match(line):
            self._fence = found[1]
        elif not line.strip():
            self._blank = True
            return not self._list
        return False

    def _goes_on(self, line: str) -> bool:
        """Whether a line after a blank one belongs to the same block: an item of its list, or the rest of one."""
        self._blank = False
        return line[0] in " \t" or _ITEM.match(line) is not None

    def _hold(self, line: str) -> None:
        self._lines.append(line)
        self._held += len(line)

    def _cut(self) -> Block:
        rest, self._rest = self._rest, ""
        block = self._out()
        self._begin()
        self._rest = rest
        return block

    def _out(self) -> Block:
        block = Block(self.unfinished, not self._pieces)
        self._lines, self._rest, self._held = [], "", 0
        return block


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return len(mark) >= len(fence) and set(mark) == {fence[0]}
