"""The table that closes a prompt pipeline: what each step's model was, how sure it was and what it cost."""

from collections.abc import Sequence

import msgspec

from onbook.cells import in_columns, widths_of
from onbook.events import StepFinished, StepStarted, Totals
from onbook.terminal.screen import printable
from onbook.terminal.step_lines import shown_score

_HEAD = ("STEP", "MODEL", "CONFIDENCE", "METHOD", "TOKENS", "TIME", "COST")
_UNKNOWN = "-"
_NARROWEST = 12
"""A name is cut no shorter than that, however narrow the terminal."""


class Answered(msgspec.Struct, frozen=True):
    """Who answered a step, and at what cost."""

    model: str
    totals: Totals = Totals()


def row_of(started: StepStarted, ended: StepFinished, answered: Answered | None) -> tuple[str, ...]:
    """The cells of a step. One that was taken from the journal asked nobody this time."""
    reading = ended.reading
    totals = answered.totals if answered is not None else Totals()
    return (
        f"{started.index} {started.name}",
        (answered.model if answered is not None else ended.model) or _UNKNOWN,
        shown_score(reading, ended.threshold)[0] if reading is not None else _UNKNOWN,
        reading.method if reading is not None else _UNKNOWN,
        _tokens(totals),
        "reused" if ended.reused else f"{ended.seconds:.1f} s",
        _cost(totals),
    )


def table_of(rows: Sequence[tuple[str, ...]], columns: int | None) -> list[str]:
    """The rows under their head, two spaces apart, in so many columns if the names allow it; None is room for all.

    What nothing costs has no column for it.
    """
    if not rows:
        return []
    lines = [list(_HEAD), *([printable(" ".join(cell.split())) for cell in row] for row in rows)]
    if all(row[-1] in (_UNKNOWN, "$0.00") for row in rows):
        lines = [line[:-1] for line in lines]
    widths = widths_of(lines)
    if columns is not None:
        _narrow(widths, columns)
    return in_columns(lines, widths)


def _tokens(totals: Totals) -> str:
    if totals.prompt_tokens is None and totals.completion_tokens is None:
        return _UNKNOWN
    about = "~" if totals.estimated else ""
    return f"{about}{totals.prompt_tokens or 0} + {about}{totals.completion_tokens or 0}"


def _cost(totals: Totals) -> str:
    if totals.money is None:
        return _UNKNOWN
    from onbook.session.budget import dollars

    return dollars(totals.money)


def _narrow(widths: list[int], columns: int) -> None:
    """Take what is too much from the names of the steps and the models, the longer one first."""
    for place in sorted((0, 1), key=lambda place: -widths[place]):
        too_much = sum(widths) + 2 * (len(widths) - 1) - columns
        widths[place] = max(widths[place] - max(too_much, 0), min(widths[place], _NARROWEST))
