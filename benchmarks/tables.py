"""The figures as Markdown, for the screen and for docs/benchmarks.md."""

from collections.abc import Sequence

from benchmarks.growth import Growth
from benchmarks.harness import Row

_ROW_HEADS = ("benchmark", "onbook", "", "against", "", "ratio", "spread", "target", "")
_ROW_RIGHT = (2, 4, 5, 6, 7)
_GROWTH_HEADS = ("growth", "of", "sizes", "CPU time", "exponent", "target", "")
_GROWTH_RIGHT = (4, 5)


def ratio_table(rows: Sequence[Row]) -> str:
    """One line for each comparison. The spread is that of the rounds' ratios: half of them were inside it."""
    return _table(_ROW_HEADS, [_row_cells(row) for row in rows], _ROW_RIGHT)


def growth_table(growths: Sequence[Growth]) -> str:
    """One line for each subject: its sizes, what each cost, and the exponent."""
    return _table(_GROWTH_HEADS, [_growth_cells(growth) for growth in growths], _GROWTH_RIGHT)


def duration(seconds: float) -> str:
    """Three figures or so, in the unit that fits."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def _row_cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.benchmark} ({row.kind})",
        row.ours,
        duration(row.our_seconds),
        row.peer,
        duration(row.peer_seconds),
        f"{row.ratio:.3f}",
        f"{row.low:.3f}–{row.high:.3f}",
        f"≤ {row.target:g}",
        "pass" if row.passed else "MISS",
    )


def _growth_cells(growth: Growth) -> tuple[str, ...]:
    return (
        growth.benchmark,
        growth.what,
        " ".join(f"{size:,}" for size in growth.sizes),
        ", ".join(duration(seconds) for seconds in growth.seconds),
        f"{growth.exponent:.2f}",
        f"≤ {growth.target:g}",
        "pass" if growth.passed else "MISS",
    )


def _table(heads: Sequence[str], body: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    lines = [heads, *body]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(heads))]
    rule = ["-" * (width - 1) + (":" if column in right else "-") for column, width in enumerate(widths)]
    padded = [
        [cell.rjust(width) if column in right else cell.ljust(width) for column, (cell, width) in enumerate(pairs)]
        for pairs in (list(zip(line, widths, strict=True)) for line in lines)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (padded[0], rule, *padded[1:]))
