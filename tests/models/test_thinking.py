"""Reasoning written into the answer is told from it, however the text is cut."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from onbook.models.messages import Reasoning, Text
from onbook.models.thinking import ThinkSplitter
from tests.models.asking import reasoning_of, text_of

pieces = st.lists(
    st.one_of(
        st.sampled_from(["<think>", "</think>", "<", "</", "<th", "ink>", "\n", "\n\n", " ", "hm", "yes", ">"]),
        st.text(max_size=3),
    ),
    max_size=12,
)


def split(texts: list[str]) -> list[Text | Reasoning]:
    splitter = ThinkSplitter()
    return [delta for text in texts for delta in splitter.feed(text)] + splitter.flush()


def by_the_book(text: str) -> tuple[str, str]:
    """(reasoning, answer) of the whole text."""
    found = re.fullmatch(r"\s*<think>\n*(.*?)(?:</think>\n*(.*))?", text, re.DOTALL)
    return (found[1], found[2] or "") if found else ("", text)


@given(pieces)
@example(["<think>", "\nhm", "</think>", "\n\n", "\nyes"])
@example([" <", "think", ">hm</", "think", "> yes"])
@example(["<think>hm</thi"])
def test_any_splitting_gives_what_the_whole_text_gives(texts: list[str]) -> None:
    found = split(texts)
    assert (reasoning_of(found), text_of(found)) == by_the_book("".join(texts))


@given(pieces)
def test_nothing_empty_is_handed_out(texts: list[str]) -> None:
    assert all(delta.text for delta in split([text for text in texts if text]))


@pytest.mark.parametrize("text", ["Use <think> tags.", "<thinking>", "<b>", "a</think>b", "\n\n<p>"])
def test_a_tag_that_does_not_open_the_answer_is_text(text: str) -> None:
    assert text_of(split(list(text))) == text


def test_an_unclosed_thought_is_all_reasoning() -> None:
    assert reasoning_of(split(["<think>and then", " it stop"])) == "and then it stop"


def test_an_ordinary_answer_is_not_held_back() -> None:
    assert ThinkSplitter().feed("Hello") == [Text("Hello")]


def test_text_that_was_held_back_keeps_the_logprobs_of_all_its_tokens() -> None:
    splitter = ThinkSplitter()
    held = [*splitter.feed("\n", (-0.5,)), *splitter.feed("<", (-0.25,)), *splitter.feed("b", (-1.0,))]
    assert held == [Text("\n<b", (-0.5, -0.25, -1.0))]


def test_the_logprobs_of_a_thought_are_not_the_answers() -> None:
    splitter = ThinkSplitter()
    found = [
        delta
        for token, logprob in [("<think>", -9.0), ("hm", -9.0), ("</think>", -9.0), ("\n", -9.0), ("yes", -0.5)]
        for delta in splitter.feed(token, (logprob,))
    ]
    assert found[-1] == Text("yes", (-0.5,))
