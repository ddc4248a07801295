"""How a prompt pipeline may be called, and how not."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.outcome import UsageError
from onbook.pipeline.call import PipelineCall

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("confidence", "right"),
    [
        ("90", "write it as 90%"),
        ("85.5", "write it as 85.5%"),
        ("0.9", "write a percentage above 0 and up to 100, as in 85%"),
        ("NaN", "as in 85%"),
        ("nan%", "as in 85%"),
        ("1e1%", "as in 85%"),
        ("0%", "as in 85%"),
        ("100.1%", "as in 85%"),
        ("-5%", "as in 85%"),
        ("٩٠%", "as in 85%"),
        ("90 %", "as in 85%"),
        ("%", "as in 85%"),
        ("review.md", "as in 85%"),
    ],
)
def test_what_is_no_percentage_is_refused_with_the_right_form(confidence: str, right: str) -> None:
    with pytest.raises(UsageError) as caught:
        PipelineCall.of([confidence, "a.md"])
    assert str(caught.value).startswith(f'pipeline: "{confidence}" is not a confidence: ')
    assert str(caught.value).endswith(right)


@pytest.mark.parametrize("confidence", ["90%", "100%", "0.5%", "85.25%", ".5%"])
def test_plain_decimals_above_zero_and_up_to_a_hundred_are_taken(confidence: str) -> None:
    assert PipelineCall.of([confidence, "a.md"]).confidence == confidence


@pytest.mark.parametrize("words", [[], ["90%"]])
def test_without_files_the_usage_is_shown(words: list[str]) -> None:
    with pytest.raises(UsageError, match=r"write CONFIDENCE% FILE…, as in 85% review\.md summarise\.md"):
        PipelineCall.of(words)


@pytest.mark.parametrize("variable", ["topic", "=x", "a b=x", "1a=x"])
def test_a_variable_without_name_or_value_is_refused(variable: str) -> None:
    with pytest.raises(UsageError, match="write name=value"):
        PipelineCall.of(["90%", "a.md"], variables=[variable])


def test_a_variable_is_given_once() -> None:
    with pytest.raises(UsageError, match="--var topic is given twice"):
        PipelineCall.of(["90%", "a.md"], variables=["topic=a", "topic=b"])


@given(st.lists(WORDS, min_size=1), st.dictionaries(st.from_regex(r"[a-z_][a-z0-9-]*", fullmatch=True), WORDS))
def test_the_journal_and_the_line_give_the_call_back(files: list[str], variables: dict[str, str]) -> None:
    call = PipelineCall.of(["90%", *files], variables=[f"{name}={value}" for name, value in variables.items()])
    assert PipelineCall.from_journal(call.for_journal()) == call
    words = shlex.split(call.line)
    assert words[-len(files) :] == files
    assert [word.partition("=")[::2] for word in words[2 : 2 * len(variables) + 1 : 2]] == list(variables.items())


@pytest.mark.parametrize(
    "kept",
    [
        "",
        "{}",
        "[1]",
        "\udcff",
        '{"confidence": ' + "[" * 5000,
        '{"confidence": "90%", "files": []}',
        '{"confidence": "x", "files": ["a"]}',
    ],
)
def test_what_the_journal_of_something_else_kept_is_no_call(kept: str) -> None:
    assert PipelineCall.from_journal(kept) is None


def test_a_file_may_stand_twice_and_the_first_step_alone_knows_the_conversation() -> None:
    flow = PipelineCall.of(["90%", "a.md", "a.md"]).flow
    assert [step.name for step in flow.steps] == ["a.md", "a.md"]
    assert [step.actor.with_history for step in flow.steps] == [True, False]  # type: ignore[union-attr]
