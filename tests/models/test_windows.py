"""The small table of known windows: never a guess, never zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.models.windows import known_window


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("gpt-4o", 128_000),
        ("gpt-4o-mini-2024-07-18", 128_000),
        ("openai/gpt-4o-mini", 128_000),
        ("GPT-4o", 128_000),
        ("gpt-4", 8_192),
        ("gpt-4-32k", 32_768),
        ("gpt-4-turbo-preview", 128_000),
        ("gpt-4.1-nano", 1_047_576),
        ("gpt-4.5-preview", 128_000),
        ("claude-3-5-haiku-latest", 200_000),
        ("o1-mini", 128_000),
        ("o3", 200_000),
        ("deepseek-chat", 128_000),
    ],
)
def test_a_known_cloud_model_is_found_by_the_longest_name(model: str, window: int) -> None:
    assert known_window(model) == window


@pytest.mark.parametrize(
    "model", ["", "llama3:latest", "my-gpt-4", "mistral-7b-instruct", "deepseek-coder-6.7b", "codestral-22b", "smollm2"]
)
def test_any_other_is_unknown(model: str) -> None:
    assert known_window(model) is None


@given(st.text())
def test_a_window_is_never_zero(model: str) -> None:
    assert known_window(model) != 0
