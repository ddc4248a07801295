"""What stands on a terminal as an SVG: a dark window, legible on light and dark pages, with the reader's own font."""

import re
from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape

import pyte
from pyte.screens import Char

from tests.docs.shell import COLUMNS

CELL, LINE, MARGIN, BAR = 8.43, 19, 16, 34
"""Pixels: a character's width and height, the space around them, the bar with the title."""
COLOURS = {
    "default": "#d7dae0",
    "black": "#3b4048",
    "red": "#f07178",
    "green": "#98c379",
    "brown": "#e5c07b",
    "blue": "#61afef",
    "magenta": "#c678dd",
    "cyan": "#56b6c2",
    "white": "#d7dae0",
    "brightblack": "#8a919e",
}
STYLE = "font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre"


def draw(raw: str, rows: int, title: str) -> str:
    """The screen after these bytes were written to it, up to its last line with something on it."""
    screen = pyte.Screen(COLUMNS, rows)
    pyte.Stream(screen).feed(_without_faint(raw))
    cells = [[screen.buffer[row][column] for column in range(COLUMNS)] for row in range(rows)]
    while not "".join(cell.data for cell in cells[-1]).strip():
        cells.pop()
    drawn = [mark for number, line in enumerate(cells) for mark in _line(line, BAR + MARGIN + number * LINE)]
    return "\n".join([*_window(len(cells), title), *drawn, "</svg>", ""])


def _without_faint(raw: str) -> str:
    """The emulator knows no faint text; bright black looks the same."""
    return re.sub(r"\x1b\[(?:0;)?2m", "\x1b[90m", raw)


def _window(lines: int, title: str) -> Iterator[str]:
    width, height = round(COLUMNS * CELL + 2 * MARGIN), BAR + lines * LINE + 2 * MARGIN
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" style="{STYLE}">'
    yield f"<title>{escape(title)}</title>"
    yield f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="#20242c" stroke="#4b5263"/>'
    for number, colour in enumerate(("#f07178", "#e5c07b", "#98c379")):
        yield f'<circle cx="{22 + number * 20}" cy="19" r="6" fill="{colour}"/>'
    yield f'<text x="{width / 2}" y="24" text-anchor="middle" fill="#8a919e">{escape(title)}</text>'


def _line(cells: list[Char], top: int) -> Iterator[str]:
    """Each run of characters that look the same, stretched to the place it takes on the terminal's grid."""
    for (fore, back, bold, italic), run in groupby(enumerate(cells), key=lambda each: _looks(each[1])):
        places = list(run)
        text = "".join(cell.data for _, cell in places)
        left, width = round(MARGIN + places[0][0] * CELL, 2), round(len(places) * CELL, 2)
        if back is not None:
            yield f'<rect x="{left}" y="{top}" width="{width}" height="{LINE}" fill="{back}"/>'
        if text.strip():
            weight = ' font-weight="bold"' * bold + ' font-style="italic"' * italic
            place = f'x="{left}" y="{top + 14}" textLength="{width}"'
            yield f'<text {place} fill="{fore}"{weight} xml:space="preserve">{escape(text)}</text>'


def _looks(cell: Char) -> tuple[str, str | None, bool, bool]:
    fore, back = _colour(cell.fg), None if cell.bg == "default" else _colour(cell.bg)
    if cell.reverse:
        fore, back = back or "#20242c", fore
    return fore, back, cell.bold, cell.italics


def _colour(name: str) -> str:
    known = COLOURS.get(name) or COLOURS.get(name.removeprefix("bright"))
    return known or f"#{name}"
