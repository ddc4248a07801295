"""Text that grows, made ready for the terminal as far as it is complete: a model's Markdown and thoughts, a command's
lines."""

import re
from collections.abc import Callable
from typing import Protocol

from onbook.terminal.markdown_blocks import LONGEST, Block, MarkdownBlocks
from onbook.terminal.screen import at_words, printable, styled

WIDEST = 100
"""Columns of a page of the manual: longer lines are hard to follow."""
_HELP = re.compile(r"/help\b", re.IGNORECASE)
_HANDS_ON = re.compile(r"!|/(?:diff|files|git|run|script|search)\b", re.IGNORECASE)
_SHOWS_DIFF = re.compile(r"/(?:diff|git\s+(?:diff|show))\b", re.IGNORECASE)
_COLOURS = {"+": "32", "-": "31", "@": "36"}


class Growing(Protocol):
    """`feed` and `end` give what can be written for good, with the terminal's codes in it."""

    @property
    def unfinished(self) -> str:
        """What came in and has not gone out, as it came."""
        ...

    def feed(self, text: str) -> str: ...

    def end(self) -> str: ...


class Words:
    """What a model says: block by block, with an empty line between them."""

    def __init__(self, columns: Callable[[], int]) -> None:
        self._blocks = MarkdownBlocks()
        self._columns = columns
        self._said = False

    @property
    def unfinished(self) -> str:
        return self._blocks.unfinished

    def feed(self, text: str) -> str:
        return "".join(map(self._shown, self._blocks.feed(text)))

    def end(self) -> str:
        return "".join(map(self._shown, self._blocks.end()))

    def _shown(self, block: Block) -> str:
        if not block.text.strip():
            return ""
        gap, self._said = ("\n" if self._said else ""), True
        if not block.whole:  # whatever is written for good ends its line: the prompt is drawn below it
            return printable(block.text).removesuffix("\n") + "\n"
        from onbook.terminal.markdown import rendered

        return gap + rendered(block.text, self._columns())


def is_own_words(command: str) -> bool:
    """Whether a command that was typed so speaks itself. The lines that others hand on, of programs and of files, stay
    as they are: somebody may want to copy them."""
    return bool(command) and _HANDS_ON.match(command.strip()) is None


def said_by(command: str, columns: Callable[[], int]) -> Growing:
    """What is said by a command that was typed so."""
    if _HELP.match(command.strip()):
        return Page(columns)
    is_diff = _SHOWS_DIFF.match(command.strip()) is not None
    return Lines(columns if is_own_words(command) else None, is_diff=is_diff)


class Lines:
    """What a command says: line by line as it comes, a diff in its usual colours. With a width no word is broken."""

    def __init__(self, columns: Callable[[], int] | None = None, *, is_diff: bool = False) -> None:
        self._columns = columns
        self._is_diff = is_diff
        self._rest = ""

    @property
    def unfinished(self) -> str:
        return self._rest

    def feed(self, text: str) -> str:
        *lines, self._rest = (self._rest + text).split("\n")
        if len(self._rest) > LONGEST:
            lines.append(self._rest)
            self._rest = ""
        return "".join(map(self._shown, lines))

    def end(self) -> str:
        left, self._rest = self._rest, ""
        return self._shown(left) if left else ""

    def _shown(self, line: str) -> str:
        line = self._in_rows(line)
        colour = _COLOURS.get(line[:1]) if self._is_diff else None
        return (styled(colour, line) if colour else line) + "\n"

    def _in_rows(self, line: str) -> str:
        return at_words(printable(line), self._columns() if self._columns is not None else None)


class Page(Lines):
    """What `/help` says: a page of the manual is drawn as the Markdown it is, once all of it is there."""

    def __init__(self, columns: Callable[[], int]) -> None:
        super().__init__(columns)
        self._width = columns
        self._text = ""

    def feed(self, text: str) -> str:
        self._text += text
        return ""

    def end(self) -> str:
        text, self._text = self._text, ""
        if not text.startswith("# "):
            return super().feed(text) + super().end()
        from onbook.terminal.markdown import rendered

        return rendered(text, min(self._width(), WIDEST), reflowed=True)


class Thoughts(Lines):
    """What a model thinks aloud: line by line too, set back, without the empty lines around it."""

    def __init__(self, columns: Callable[[], int]) -> None:
        super().__init__(columns)
        self._said = False
        self._gap = ""

    def _shown(self, line: str) -> str:
        if not line.strip():
            self._gap = "\n" if self._said else ""
            return ""
        gap, self._gap, self._said = self._gap, "", True
        return gap + styled("2", self._in_rows(line)) + "\n"
