"""The one line of an agent: the first that is not empty, judged by what was agreed with the persona."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.agents.returns import LONGEST, confidence_in, first_line, judged, read_return, without_first_line

ARCHITECT, JUDGE, MAKER = PERSONAS["architect"], PERSONAS["evaluator"], PERSONAS["generator"]
PROPOSER = PERSONAS["autofix_proposer"]


@pytest.mark.parametrize("dash", ["—", "–", "-"])
def test_any_dash_will_do(dash: str) -> None:
    assert read_return(f"proposal written {dash} two classes", ARCHITECT).line == f"proposal written {dash} two classes"


@pytest.mark.parametrize(
    "reply",
    [
        "\n\n  proposal written — two classes\nand a story",
        "**Proposal written** — two classes",
        "> `proposal written — two classes`",
        "Architect proposal written — two classes",
    ],
)
def test_only_the_first_line_counts_and_marks_around_it_do_not(reply: str) -> None:
    found = read_return(reply, ARCHITECT)
    assert found.parsed
    assert "two classes" in found.line
    assert "story" not in found.line


@pytest.mark.parametrize("reply", ["", "Done!", "proposal written", "proposal written —", "well-written", "plan — x"])
def test_what_was_not_agreed_is_the_personas_own_fallback(reply: str) -> None:
    found = read_return(reply, ARCHITECT)
    assert not found.parsed
    assert found.line == ARCHITECT.fallback


def test_the_number_of_files_may_stand_before_the_keyword() -> None:
    assert read_return("3 files changed — the sum", MAKER).parsed


def test_the_proposers_fallback_has_the_form_that_the_seed_wants() -> None:
    found = read_return("I could not", PROPOSER)
    assert found.line.startswith("auto_fix_patch written — confidence: Unknown — ")
    assert confidence_in(found.line) == "Unknown"


@pytest.mark.parametrize("level", ["High", "Medium", "Low"])
def test_the_proposer_says_how_sure_it_is(level: str) -> None:
    line = f"auto_fix_patch written — confidence: {level.lower()} — an import"
    assert read_return(line, PROPOSER).parsed
    assert confidence_in(line) == level


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("PASS — fine", "PASS"),
        ("FAIL L2 — dead code", "FAIL L2"),
        ("FAIL L3 — criterion 2", "FAIL L3"),
        ("FAIL — somewhere", "FAIL"),
        ("FAIL L4 — no such layer", "FAIL"),
        ("PASSED — no verdict", "FAIL"),
        ("It does not FAIL, so PASS", "FAIL"),
        ("pass", "FAIL"),
        ("", "FAIL"),
    ],
)
def test_a_judges_line_begins_with_its_verdict_and_anything_else_is_fail(line: str, verdict: str) -> None:
    assert judged(read_return(line, JUDGE).line) == verdict


@given(st.text())
def test_whatever_an_agent_says_the_line_is_one_short_line_that_is_safe_to_print(reply: str) -> None:
    for persona in (ARCHITECT, JUDGE):
        line = read_return(reply, persona).line
        assert len(line) <= LONGEST + 1
        assert not any(ord(ch) < 32 or 0x7F <= ord(ch) < 0xA0 for ch in line)
        assert "\n" not in line


@given(st.text(alphabet="ab—\n* #"))
def test_the_first_line_and_the_rest_lose_nothing_but_what_is_around_the_line(reply: str) -> None:
    assert reply.endswith(without_first_line(reply))
    assert first_line(without_first_line(reply)) in (*map(first_line, reply.splitlines()), "")
