"""Taking turns, ratios and their spread."""

from collections.abc import Callable

import pytest
from benchmarks.harness import Costs, Row, marginal, quartiles, take_turns


def costs(**seconds: list[float]) -> Costs:
    found = Costs(list(seconds))
    for name, each in seconds.items():
        for one in each:
            found.add(name, one)
    return found


def row(mine: list[float], theirs: list[float], target: float = 1.0) -> Row:
    return costs(us=mine, them=theirs).row("a job", "us", "them", target=target, kind="cpu")


def test_everybody_has_a_turn_in_each_round_and_each_round_begins_with_another_one() -> None:
    turns: list[str] = []

    def contender(name: str) -> Callable[[], float]:
        def take() -> float:
            turns.append(name)
            return 1.0

        return take

    take_turns({name: contender(name) for name in "abc"}, rounds=3, warm_up=0)
    assert turns == [*"abc", *"bca", *"cab"]


def test_warm_up_rounds_are_run_and_do_not_count() -> None:
    answers = iter([9.0, 1.0, 2.0, 3.0])
    found = take_turns({"one": lambda: next(answers)}, rounds=3, warm_up=1)
    assert found.median("one") == 2.0


def test_the_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    found = row([1.0, 30.0, 3.0], [2.0, 20.0, 6.0])  # the busy round in the middle weighs on both sides
    assert (found.ratio, found.our_seconds, found.peer_seconds) == (0.5, 3.0, 6.0)


def test_the_spread_is_where_half_of_the_rounds_were() -> None:
    found = row([1.0, 2.0, 3.0, 4.0, 5.0], [1.0] * 5)
    assert (found.low, found.high) == (2.0, 4.0)


def test_a_single_round_has_no_spread() -> None:
    assert quartiles([0.5]) == (0.5, 0.5)


@pytest.mark.parametrize(("ratio", "passed"), [(0.3, True), (0.5, True), (0.51, False)])
def test_a_ratio_passes_up_to_its_target(ratio: float, passed: bool) -> None:  # noqa: FBT001 - a column of the table
    assert row([ratio], [1.0], target=0.5).passed is passed


def test_the_cost_of_one_more_is_what_many_take_beyond_one() -> None:
    starts: list[float] = []
    cost = marginal({"one": 2.0, "many": 12.0}.__getitem__, 100, starts)
    assert cost() == pytest.approx(0.1)
    assert starts == [2.0]
