"""The mean probability of an answer's tokens."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.confidence.logprobs import read_logprobs


def test_the_score_is_the_geometric_mean() -> None:
    reading = read_logprobs([math.log(0.5), math.log(0.08)])
    assert reading is not None
    assert reading.score == pytest.approx(0.2)
    assert (reading.method, reading.reason) == ("logprobs", "mean over 2 tokens")


def test_without_values_there_is_no_reading() -> None:
    assert read_logprobs([]) is None
    assert read_logprobs([math.nan]) is None


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_any_values_give_a_score_from_0_to_1(values: list[float]) -> None:
    reading = read_logprobs(values)
    assert reading is not None
    assert 0 <= reading.score <= 1
