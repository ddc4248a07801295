"""Columns for a person, cut to the terminal's width; a pipe gets every character."""

import sys
from collections.abc import Sequence
from shutil import get_terminal_size

import click

from onbook.cells import cut, in_columns
from onbook.terminal.screen import printable


def echo_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a head, two spaces apart. The last column takes the room that is left."""
    lines = [head, *([printable(" ".join(cell.split())) for cell in row] for row in rows)]
    room = get_terminal_size().columns if sys.stdout.isatty() else None
    for line in in_columns(lines):
        click.echo(line if room is None else cut(line, room))
