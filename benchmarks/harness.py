"""Taking turns, medians and spread: everything a comparison does that is not its own subject."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

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
    low: float
    high: float
    """The quartiles of the rounds' ratios: half of the rounds were between them."""
    target: float
    """The largest ratio that is good enough."""
    kind: str
    """What the seconds are: `wall` or `cpu`."""
    rounds: int

    @property
    def passed(self) -> bool:
        return self.ratio <= self.target


class Costs:
    """What each contender cost in each round."""

    def __init__(self, names: Sequence[str]) -> None:
        self._seconds: dict[str, list[float]] = {name: [] for name in names}

    def add(self, name: str, seconds: float) -> None:
        self._seconds[name].append(seconds)

    def row(self, benchmark: str, ours: str, peer: str, *, target: float, kind: str) -> Row:
        mine, theirs = self._seconds[ours], self._seconds[peer]
        ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
        return Row(
            *(benchmark, ours, peer, median(mine), median(theirs)),
            *(median(ratios), *quartiles(ratios)),
            *(target, kind, len(mine)),
        )

    def median(self, name: str) -> float:
        return median(self._seconds[name])


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


def marginal(run: Callable[[str], float], more: int, starts: list[float] | None = None) -> Contender:
    """The cost of each further one: what `many` take less what `one` takes. The latter is also kept in `starts`."""

    def cost() -> float:
        one = run("one")
        if starts is not None:
            starts.append(one)
        return max(run("many") - one, 1e-9) / more

    return cost


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """What a quarter of the values is below, and what a quarter is above."""
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = quantiles(values, n=4, method="inclusive")
    return low, high
