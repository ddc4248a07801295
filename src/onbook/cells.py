"""How much room text takes on a screen: a character of Chinese, Japanese or Korean takes two cells, an accent none."""

import unicodedata
from collections.abc import Sequence


def width(text: str) -> int:
    """The cells it takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut(text: str, cells: int) -> str:
    """As much of its beginning as fits; what is left out leaves no mark."""
    if width(text) <= cells:
        return text
    taken = 0
    for at, sign in enumerate(text):
        taken += _width(sign)
        if taken > cells:
            return text[:at]
    return text


def shortened(text: str, cells: int) -> str:
    """All of it, or as much as fits before the mark that something is left out."""
    return text if width(text) <= cells else f"{cut(text, cells - 1)}…"


def padded(text: str, cells: int) -> str:
    """With so many spaces behind it that what comes next stands in its column."""
    return text + " " * (cells - width(text))


def widths_of(rows: Sequence[Sequence[str]]) -> list[int]:
    """How wide each column is that has room for all that stands in it."""
    return [max(map(width, column)) for column in zip(*rows, strict=True)]


def in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int] | None = None) -> list[str]:
    """Each row as a line, its cells below those of the row above, two spaces apart; what is too wide is shortened."""
    room = widths_of(rows) if widths is None else widths
    return [
        "  ".join(padded(shortened(cell, cells), cells) for cell, cells in zip(row, room, strict=True)).rstrip()
        for row in rows
    ]


def _width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
