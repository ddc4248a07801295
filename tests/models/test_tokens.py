"""The estimate of a text's tokens."""

from hypothesis import given
from hypothesis import strategies as st

from onbook.models.messages import Image, Message, ToolCall
from onbook.models.tokens import estimate_prompt, estimate_tokens


@given(st.text(st.characters()))
def test_a_text_is_estimated_at_a_quarter_of_its_bytes(text: str) -> None:
    assert estimate_tokens(text) == (len(text.encode("utf-8", "replace")) + 3) // 4


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text + more) >= estimate_tokens(text)


def test_each_message_of_a_prompt_costs_something() -> None:
    assert estimate_prompt([Message("user", ""), Message("user", "")]) > 0


def test_an_image_counts() -> None:
    picture = Image("image/png", b"x", "a.png")
    assert estimate_prompt([Message("user", "x", (picture,))]) > 500


def test_tool_calls_count() -> None:
    call = ToolCall("a", "look", "x" * 4000)
    assert estimate_prompt([Message("assistant", "", tool_calls=(call,))]) > 1000
