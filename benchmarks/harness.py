"""Taking turns, medians, and the table: everything a benchmark does that is not its own subject."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

Contender = Callable[[], float]
"""Does its work once and gives the seconds that it cost."""


@dataclass(frozen=True)
class Row:
    """One comparison: what both cost, the ratio, and how large it may be."""

    benchmark: str
    ours: str
    peer: str
    our_seconds: float
    peer_seconds: float
    """Medians over all rounds."""
    ratio: float
    """The median of the rounds' own ratios: a busy moment then weighs on both sides of a fraction."""
    target: float
    """The largest ratio that is good enough."""
    kind: str
    """What the seconds are: `wall` or `cpu`."""
    rounds: int

    @property
    def passed(self) -> bool:
        return self.ratio <= self.target

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "passed": self.passed}


class Costs:
    """What each contender cost in each round."""

    def __init__(self, names: Sequence[str]) -> None:
        self._seconds: dict[str, list[float]] = {name: [] for name in names}

    def add(self, name: str, seconds: float) -> None:
        self._seconds[name].append(seconds)

    def row(self, benchmark: str, ours: str, peer: str, *, target: float, kind: str) -> Row:
        mine, theirs = self._seconds[ours], self._seconds[peer]
        ratio = median(one / other for one, other in zip(mine, theirs, strict=True))
        return Row(benchmark, ours, peer, median(mine), median(theirs), ratio, target, kind, len(mine))


def take_turns(contenders: Mapping[str, Contender], *, rounds: int, warm_up: int = 1) -> Costs:
    """Everybody once a round, so that a busy moment of the machine meets everybody.

    Each round begins with another contender: nobody always runs after the same neighbour.
    """
    names = list(contenders)
    costs = Costs(names)
    for number in range(-warm_up, rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            seconds = contenders[name]()
            if number >= 0:
                costs.add(name, seconds)
    return costs


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, which is also what docs/benchmarks.md shows."""
    heads = ("benchmark", "onbook", "", "against", "", "ratio", "target", "")
    lines = [heads, *map(_cells, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    rule = ["-" * (width - 1) + (":" if column in _RIGHT else "-") for column, width in enumerate(widths)]
    padded = [
        [cell.rjust(width) if column in _RIGHT else cell.ljust(width) for column, (cell, width) in enumerate(pairs)]
        for pairs in (list(zip(line, widths, strict=True)) for line in lines)
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in (padded[0], rule, *padded[1:]))


_RIGHT = (2, 4, 5, 6)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.benchmark} ({row.kind})",
        row.ours,
        _time(row.our_seconds),
        row.peer,
        _time(row.peer_seconds),
        f"{row.ratio:.3f}",
        f"≤ {row.target:g}",
        "pass" if row.passed else "MISS",
    )


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"
