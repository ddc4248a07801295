"""The exponent that fits what was measured at several sizes."""

import math

import pytest
from benchmarks.growth import LINEAR, beyond_the_smallest, exponent, grown

SIZES = (10, 500, 1_000, 2_000)


@pytest.mark.parametrize("steep", [0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_is_found(steep: float) -> None:
    assert exponent([1, 10, 100], [3e-6 * size**steep for size in (1, 10, 100)]) == pytest.approx(steep)


def test_what_is_paid_at_every_size_does_not_make_a_cost_look_flatter() -> None:
    assert beyond_the_smallest(SIZES, [0.2 + 0.001 * size for size in SIZES]) == pytest.approx(1.0)


def test_a_quadratic_cost_is_told_from_a_linear_one() -> None:
    found = grown("a job", "steps", SIZES, lambda size: 0.2 + 1e-6 * size**2)
    assert not found.passed
    assert found.exponent == pytest.approx(2.0, abs=0.05)


def test_sorting_passes_for_linear() -> None:
    assert beyond_the_smallest(SIZES, [1e-6 * size * math.log(size) for size in SIZES]) <= LINEAR


def test_noise_on_a_cost_that_does_not_grow_is_no_growth() -> None:
    assert beyond_the_smallest(SIZES, [0.0100, 0.0101, 0.0104, 0.0112]) == 0.0


def test_a_cost_that_falls_below_the_smallest_at_one_size_still_has_an_exponent() -> None:
    assert math.isfinite(beyond_the_smallest(SIZES, [0.010, 0.009, 0.020, 0.040]))


def test_every_size_is_measured_as_often_as_there_are_rounds() -> None:
    asked: list[int] = []

    def cost(size: int) -> float:
        asked.append(size)
        return float(size)

    grown("a job", "steps", SIZES, cost, rounds=2)
    assert sorted(asked) == sorted(SIZES * 2)
