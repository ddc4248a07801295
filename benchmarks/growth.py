"""How a cost grows with its subject: the same work at several sizes, and the exponent that fits them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.harness import Contender, take_turns

LINEAR = 1.15
"""The largest exponent that passes for linear: n·log n has about this one at the sizes that are measured here."""


@dataclass(frozen=True)
class Growth:
    """One subject at several sizes, and how steep it is."""

    benchmark: str
    what: str
    """What there is more and more of."""
    sizes: tuple[int, ...]
    """The smallest first. It is the foot that the others stand on: what it costs is taken from what they cost."""
    seconds: tuple[float, ...]
    """CPU seconds at each size, medians over all rounds."""
    exponent: float
    target: float
    rounds: int

    @property
    def passed(self) -> bool:
        return self.exponent <= self.target


def grown(benchmark: str, what: str, sizes: Sequence[int], cost: Callable[[int], float], *, rounds: int = 3) -> Growth:
    """The cost at each size, the sizes taking turns, and the exponent of what is beyond the smallest."""
    contenders: dict[str, Contender] = {str(size): partial(cost, size) for size in sizes}
    costs = take_turns(contenders, rounds=rounds, warm_up=0)
    seconds = tuple(costs.median(name) for name in contenders)
    return Growth(benchmark, what, tuple(sizes), seconds, beyond_the_smallest(sizes, seconds), LINEAR, rounds)


def beyond_the_smallest(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """The exponent of what the larger sizes cost beyond the smallest: start-up and imports are in all of them.

    A cost that does not grow at all has nothing beyond it but noise, and gets 0.
    """
    foot, base = sizes[0], seconds[0]
    if max(seconds[1:]) < base * _MUCH_THE_SAME:
        return 0.0
    return exponent([size - foot for size in sizes[1:]], [max(each - base, 1e-9) for each in seconds[1:]])


_MUCH_THE_SAME = 1.3


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """`b` of `a·size**b`, by least squares over the logarithms: 1 is linear, 2 is quadratic."""
    xs, ys = [math.log(size) for size in sizes], [math.log(each) for each in seconds]
    middle_x, middle_y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - middle_x) ** 2 for x in xs)
    return sum((x - middle_x) * (y - middle_y) for x, y in zip(xs, ys, strict=True)) / spread
