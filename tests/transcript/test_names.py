"""Any name has a form that is safe as a cue."""

import pytest
from hypothesis import given, settings

from onbook.transcript import stage_name
from onbook.transcript.names import cue
from tests.transcript.strategies import names


@pytest.mark.parametrize(
    ("name", "on_stage", "line"),
    [
        ("Harvey", "HARVEY", "HARVEY"),
        ("llama3:latest", "LLAMA3:LATEST", "@LLAMA3:LATEST"),
        ("gpt-4.1", "GPT-4.1", "GPT-4.1"),
        ("my_model", "MY-MODEL", "MY-MODEL"),
        ("Jean (local) ^", "JEAN LOCAL", "JEAN LOCAL"),
        ("中文", "中文", "@中文"),
        ("123", "ACTOR 123", "ACTOR 123"),
        ("", "ACTOR", "ACTOR"),
        ("\n\x00", "ACTOR", "ACTOR"),
        ("int. house", "ACTOR INT. HOUSE", "ACTOR INT. HOUSE"),
        ("cut to:", "CUT TO", "CUT TO"),
        ("@everyone", "EVERYONE", "EVERYONE"),
    ],
)
def test_a_name_becomes_a_stage_name_and_a_cue(name: str, on_stage: str, line: str) -> None:
    assert stage_name(name) == on_stage
    assert cue(on_stage) == line


@settings(max_examples=150, deadline=None)
@given(names)
def test_a_stage_name_stays_what_it_is_and_is_never_empty(name: str) -> None:
    on_stage = stage_name(name)
    assert on_stage
    assert stage_name(on_stage) == on_stage
    assert any(character.isalpha() for character in on_stage)
