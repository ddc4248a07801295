"""Columns for a person, made to fit the terminal; a pipe gets every character."""

import sys
from collections.abc import Mapping, Sequence
from shutil import get_terminal_size

import click

from onbook.cells import in_columns, shortened, widths_within
from onbook.terminal.screen import printable

_LEAST = 12
"""Cells that the last column keeps."""


def echo_table(head: Sequence[str], rows: Sequence[Sequence[str]], giving: Mapping[str, int] | None = None) -> None:
    """Print rows under a head, two spaces apart. Where there is no room for all, the columns that are named in `giving`
    are shortened first, in that order and each down to its width, then the last one. What is left out leaves a mark."""
    lines = [head, *([printable(" ".join(cell.split())) for cell in row] for row in rows)]
    if not sys.stdout.isatty():
        for line in in_columns(lines):
            click.echo(line)
        return
    room = get_terminal_size().columns
    least = {head.index(name): cells for name, cells in (giving or {}).items()}
    for line in in_columns(lines, widths_within(lines, room, {**least, len(head) - 1: _LEAST})):
        click.echo(shortened(line, room))
