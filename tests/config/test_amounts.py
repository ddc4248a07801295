"""Time and sizes as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.amounts import bytes_of, seconds_of

DAY = 86_400.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500ms", 0.5),
        ("90s", 90),
        ("5m", 300),
        ("1.5h", 5_400),
        ("1h30m", 5_400),
        ("30d", 30 * DAY),
        ("2w", 14 * DAY),
        ("1w1d1h1m1s1ms", 8 * DAY + 3_661.001),
    ],
)
def test_time_is_numbers_with_units_the_largest_first(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"), [("0", 0), ("1048576", 1 << 20), ("500MB", 500_000_000), ("1GiB", 1 << 30), ("1.5k", 1_500)]
)
def test_a_size_is_a_number_with_or_without_a_unit(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize(
    "text", ["", "30", "d", "-1d", "1e3s", "1 d", "30 days", "nan", "１d", "1h30", "5m5m", "30m1h", ".5s", "5M"]
)
def test_anything_else_is_no_time(text: str) -> None:
    assert seconds_of(text) is None


@pytest.mark.parametrize("text", ["", "MB", "-1", "1ib", "1XB", "1e9", "inf", "1 GB x"])
def test_anything_else_is_no_size(text: str) -> None:
    assert bytes_of(text) is None


def test_units_that_are_not_wanted_are_no_time() -> None:
    assert seconds_of("1h30m", ("h", "m")) == 5_400
    assert seconds_of("1h30m", ("m", "s")) is None


@given(st.text())
def test_no_text_breaks_the_readers(text: str) -> None:
    assert (seconds_of(text) or 0) >= 0
    assert (bytes_of(text) or 0) >= 0
