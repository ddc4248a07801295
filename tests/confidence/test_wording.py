"""How sure an answer sounds."""

import pytest

from onbook.confidence.wording import HEDGING, read_wording
from onbook.events import Reading


@pytest.mark.parametrize("phrase", HEDGING)
def test_each_hedging_phrase_is_found_in_any_case_with_either_apostrophe_and_across_lines(phrase: str) -> None:
    hedged = Reading(0.30, "wording", f'says "{phrase.lower()}"')
    assert read_wording(f"Well, {phrase.lower()}.") == hedged
    assert read_wording(f"({phrase.lower().replace(chr(39), chr(0x2019)).replace(' ', chr(10))})") == hedged
    assert read_wording(phrase.upper()).score == 0.30


@pytest.mark.parametrize("text", ["", "It is 42.", "It might become so.", "He is uncertainly placed", "I know."])
def test_an_answer_without_such_a_phrase_gets_the_higher_figure(text: str) -> None:
    assert read_wording(text) == Reading(0.80, "wording", "no hedging phrase found")
