"""How much several replies agree, and which of them stands for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.confidence.samples import agreement
from onbook.events import Reading


def test_the_reply_nearest_to_the_others_is_chosen() -> None:
    chosen, reading = agreement(["red", "blue green", "blue green gold"])
    assert chosen == 1
    assert reading == Reading(reading.score, "samples", "3 replies")
    assert reading.score == pytest.approx(2 / 9)


def test_the_same_words_agree_in_any_order_case_and_number() -> None:
    assert agreement(["Paris, France", "france,  PARIS paris"])[1].score == 1.0


def test_of_equally_near_replies_the_earlier_is_chosen() -> None:
    assert agreement(["a b", "c d", "a b", "c d"])[0] == 0
    assert agreement(["x", "a b", "b a"])[0] == 1


def test_replies_with_nothing_in_common_score_nothing() -> None:
    assert agreement(["one", "two", "three"])[1].score == 0


@given(st.lists(st.text("ab c.", max_size=8), min_size=2, max_size=6))
def test_any_replies_give_a_score_from_0_to_1_and_one_of_them(replies: list[str]) -> None:
    chosen, reading = agreement(replies)
    assert 0 <= reading.score <= 1
    assert 0 <= chosen < len(replies)
    assert agreement(list(reversed(replies)))[1].score == pytest.approx(reading.score)
