"""How much room text takes on a screen: a character of Chinese, Japanese or Korean takes two cells, an accent none."""

import re
import unicodedata
from collections.abc import Mapping, Sequence


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


def widths_within(rows: Sequence[Sequence[str]], cells: int, least: Mapping[int, int]) -> list[int]:
    """How wide each column is where all of them share so many cells: the columns in `least` give way one after the
    other, each down to that width."""
    widths = widths_of(rows)
    for column, narrowest in least.items():
        missing = sum(widths) + 2 * (len(widths) - 1) - cells
        widths[column] -= max(0, min(missing, widths[column] - narrowest))
    return widths


def in_rows(line: str, cells: int, hanging: str = "") -> list[str]:
    """The line in rows that fit, broken between words, with `hanging` before all but the first. A word that fits into
    none, such as a long path, stays whole for whoever wants to copy it: the screen goes on with it where it ends."""
    if width(line) <= cells:
        return [line]
    rows, taken = [""], 0
    for word in re.findall(r"\s*\S+", line):
        bare = hanging + word.lstrip()
        if taken and taken + width(word) > cells >= width(bare):
            rows.append(bare)
            taken = width(bare)
        else:
            rows[-1] += word
            taken = (taken + width(word) - 1) % cells + 1
    return rows


def _width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
