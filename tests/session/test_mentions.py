"""Which model a prompt file asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.session.mentions import first_mention


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("@llama3 Review this.", "llama3"),
        ("Review this, @llama3:latest.", "llama3:latest"),
        ("Ask (@fast-one) or @slow", "fast-one"),
        ("# Title\n\nat the end @gemma2:2b:", "gemma2:2b"),
        ("mail ann@example.org, then @fast", "fast"),
        ("a path /@scope/package, then @fast", "fast"),
        (r"\@home is a word, @fast is not", "fast"),
        ("`@code` then @fast", "fast"),
        ("``a ` @code`` then @fast", "fast"),
        ("```\n@code\n```\n@fast", "fast"),
        ("~~~ python\n@code\n```\n@code\n~~~\n@fast", "fast"),
        ("````\n```\n@code\n```\n````\n@fast", "fast"),
        ("@@twice @fast", "fast"),
    ],
)
def test_the_first_mention_in_prose_names_the_model(text: str, name: str) -> None:
    assert first_mention(text) == name


@pytest.mark.parametrize(
    "text", ["", "no one", "ann@example.org", r"\@home", "@", "@ home", "`@code`", "```\n@code", "@-", "a@", "@.x"]
)
def test_without_one_nobody_is_named(text: str) -> None:
    assert first_mention(text) is None


@given(st.text(alphabet="a@`~\\ \n.:/-"))
def test_whatever_the_text_a_name_stands_in_it_and_ends_in_a_word(text: str) -> None:
    found = first_mention(text)
    assert found is None or (f"@{found}" in text and found[-1] == "a")


@given(st.text())
def test_nothing_inside_a_fence_is_a_mention(text: str) -> None:
    assert first_mention(f"```\n{text.replace('`', '')}\n```\n") is None
