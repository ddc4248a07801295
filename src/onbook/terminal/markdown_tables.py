"""A table of Markdown on a terminal: side by side where its words fit, a block for each row where they do not."""

from collections.abc import Iterator
from typing import cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markdown import TableElement
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_ENDLESS = 1_000_000
"""Columns of a terminal on which everything fits."""


class WholeTable(TableElement):
    """No word is broken or cut off, except one that is wider than the terminal."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        for drawn in super().__rich_console__(console, options):
            table = cast(Table, drawn)
            if _fits(table, console, options):
                yield table
            else:
                yield from self._blocks()

    def _blocks(self) -> Iterator[RenderableType]:
        """The first cell as a heading, and below it what the other columns say, each after its name."""
        heads = [cell.content for cell in self.header.row.cells] if self.header and self.header.row else []
        for number, row in enumerate(self.body.rows if self.body else ()):
            first, *others = (cell.content for cell in row.cells)
            if number:
                yield ""
            heading = first.copy()
            heading.stylize("bold")
            yield heading
            for head, said in zip(heads[1:], others, strict=False):
                if said:
                    yield Padding(Text.assemble(head, ": ", said) if head else said, (0, 0, 0, 2))


def _fits(table: Table, console: Console, options: ConsoleOptions) -> bool:
    """Whether every column has room for its longest word; if so, the widest are made as narrow as they have to be."""
    endless = options.update_width(_ENDLESS)
    needs = [_needs(column.header, *column.cells, console=console, options=endless) for column in table.columns]
    lines = table.__rich_measure__(console, endless).minimum - sum(need.minimum for need in needs)
    room = options.max_width - lines
    if sum(need.minimum for need in needs) > room:
        return False
    widths = [min(need.maximum, room) for need in needs]
    while sum(widths) > room:
        widest = max(range(len(needs)), key=lambda at: (widths[at] > needs[at].minimum, widths[at]))
        widths[widest] -= 1
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    return True


def _needs(*cells: RenderableType, console: Console, options: ConsoleOptions) -> Measurement:
    """From the longest word to the longest line."""
    found = [Measurement.get(console, options, cell) for cell in cells]
    return Measurement(max(each.minimum for each in found), max(each.maximum for each in found))
