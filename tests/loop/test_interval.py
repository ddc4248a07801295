"""How long to wait: what is understood, what is refused, and how it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.loop.interval import seconds_of, span
from onbook.outcome import UsageError


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("300", 300),
        ("30s", 30),
        ("5m", 300),
        ("1h", 3600),
        ("1.5h", 5400),
        ("1h30m", 5400),
        ("1d", 86400),
        ("500ms", 0.5),
        ("1m500ms", 60.5),
        ("0.1", 0.1),
        ("100ms", 0.1),
    ],
)
def test_an_interval_is_a_number_of_seconds_or_has_units(written: str, seconds: float) -> None:
    assert seconds_of(written) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "abc",
        "5 m",
        "5x",
        "m",
        "5m5m",
        "30m1h",
        "1e3",
        "nan",
        "inf",
        "５m",
        "5M",
        "1h-5m",
        "9" * 50,
        ".5s",
        "2w",
        "1h30",
    ],
)
def test_anything_else_is_refused_in_the_seeds_words(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        seconds_of(written)
    assert str(refused.value) == f'loop: invalid interval "{written}" — use e.g. 30s, 5m, 1h'


@pytest.mark.parametrize("written", ["0", "0s", "0h0m", "-1", "-5m", "-1h30m"])
def test_an_interval_must_be_positive(written: str) -> None:
    with pytest.raises(UsageError, match=r"^loop: interval must be positive$"):
        seconds_of(written)


@pytest.mark.parametrize("written", ["99ms", "0.05", "1ms"])
def test_an_interval_is_at_least_100_ms(written: str) -> None:
    with pytest.raises(UsageError, match=r"^loop: interval must be at least 100ms$"):
        seconds_of(written)


@given(st.integers(100, 10**9))
def test_what_is_said_of_an_interval_can_be_typed_again(milliseconds: int) -> None:
    assert seconds_of(span(milliseconds / 1000)) == pytest.approx(milliseconds / 1000, abs=0.001)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.5, "500ms"), (1, "1s"), (1.5, "1.5s"), (300, "5m"), (5400, "1h30m"), (90, "1m30s"), (86400, "1d")],
)
def test_an_interval_is_said_as_short_as_can_be(seconds: float, said: str) -> None:
    assert span(seconds) == said
