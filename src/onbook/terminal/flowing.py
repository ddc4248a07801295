"""Words as a model says them, for a terminal: each is written when it comes, and none is broken at the edge."""

import re
from collections.abc import Iterator

from onbook.cells import width
from onbook.terminal.screen import hanging

_LONGEST = 24
"""Cells: a word that begins so far from the edge is taken to fit, and is not waited for."""
_LONGEST_GAP = 1_000
"""Characters: more than these stand between no two words."""
_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
"""What is written without spaces: the edge may come after any of these characters."""
_GAP_AND_WORD = re.compile(rf"(?!\Z)([^\S\n]*)(\n|[{_WIDE}]|[^\s{_WIDE}]+|\Z)")
_FENCE = re.compile(r"\s*(?:```|~~~)")


class Flowing:
    """Text goes in piece by piece. What comes out has line ends before the words that would not fit; near the edge a
    word is held back until it is whole, and the end of a line brings out all of it. Code, between fences, stays as it
    is: somebody may want to copy it."""

    def __init__(self) -> None:
        self._taken = 0
        """Cells of the row."""
        self._line = ""
        """How the line begins."""
        self._held = ""
        """A gap, and after it what has come of a word that may not fit."""
        self._in_word = False
        """Whether a word was begun that may go on."""
        self._in_code = False

    def feed(self, text: str, columns: int) -> str:
        """What can be written now, on a terminal of that width."""
        return "".join(self._pieces(self._held + text, columns))

    def _pieces(self, text: str, columns: int) -> Iterator[str]:
        self._held = ""
        for found in _GAP_AND_WORD.finditer(text):
            gap, word = found.groups()
            if word == "\n":
                yield self._end_line(gap)
            elif found.end() == len(text) and self._waits(gap, word, columns):
                self._held = gap + word
            else:
                yield self._placed(gap, word, columns)

    def _waits(self, gap: str, word: str, columns: int) -> bool:
        """Whether what comes next is needed first: it may be the rest of a word that does not fit."""
        if not word:
            return len(gap) < _LONGEST_GAP
        is_near = self._taken + width(gap) + _LONGEST > columns > width(word)
        return is_near and not self._is_bound(gap)

    def _is_bound(self, gap: str) -> bool:
        """Whether no line may end here: in code, and inside a word."""
        return self._in_code or (not gap and self._in_word)

    def _end_line(self, gap: str) -> str:
        self._in_code ^= _FENCE.match(self._line) is not None
        self._taken, self._line, self._in_word = 0, "", False
        return f"{gap}\n"

    def _placed(self, gap: str, word: str, columns: int) -> str:
        self._in_word, is_bound = width(word[-1:]) == 1, self._is_bound(gap)
        needed = self._taken + width(gap + word)
        if len(self._line) < columns:
            self._line += gap + word
        if self._taken and needed > columns and not is_bound:
            row = hanging(self._line, columns) + word
            if width(row) <= columns:
                self._taken = width(row)
                return f"\n{row}"
        self._taken = (needed - 1) % columns + 1
        return gap + word
