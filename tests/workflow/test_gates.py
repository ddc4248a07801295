"""The gates of the decisions: their names, their choices, and their words in the user's language."""

import pytest

from onbook.outcome import Outcome, UsageError
from onbook.workflow.gates import CHOICES, Stopped, Waiting, check_answer, gate_question
from onbook.workflow.messages import LANGUAGES, catalogue
from tests.workflow.questions import question_at

ENGLISH = catalogue("en")
DECIDED = {
    "conflict": {"discard", "cancel"},
    "session": {"resume", "restart", "stop", "discard"},
    "dirty": {"continue", "stop"},
    "mode": {"single", "standard", "multi"},
    "model": {"default", "all-opus", "balanced", "economy"},
    "conventions": {"scan", "skip"},
    "scan-failed": {"retry", "skip"},
    "spec": {"proceed", "modify", "stop"},
    "artefact": {"retry", "stop"},
    "verify": {"autofix", "continue", "stop"},
    "autofix": {"apply", "reject", "stop"},
    "qa": {"fix", "accept", "stop"},
    "rounds": {"accept", "extend", "stop"},
    "commit": {"code", "all", "none"},
    "ignored": {"add", "skip"},
    "clean": {"yes", "no"},
}


def test_the_gates_and_their_choices_are_the_decided_ones() -> None:
    assert {gate: {*choices} for gate, choices in CHOICES.items()} == DECIDED


def test_a_question_has_the_seed_s_header_text_labels_and_descriptions() -> None:
    question = gate_question(ENGLISH, "spec")
    assert (question.header, question.text) == (
        "Spec",
        "Review the spec above. Implementation consumes significant tokens. Confirm to proceed.",
    )
    assert [(each.choice, each.label, each.description) for each in question.options] == [
        ("proceed", "Proceed", "Start implementation as specified"),
        ("modify", "Modify", "Edit the spec, then re-confirm"),
        ("stop", "Stop", "Halt the workflow"),
    ]


def test_only_what_is_on_offer_is_asked() -> None:
    question = gate_question(ENGLISH, "verify", only=("continue", "stop"), retries=3, summary="2 failed", model="opus")
    assert [each.choice for each in question.options] == ["continue", "stop"]
    assert question.text == "Mechanical verification failed after 3 retries. 2 failed"


@pytest.mark.parametrize(
    ("variant", "text", "fix"),
    [
        ("layer2", "Layer 2 structural verification failed after 2 retries. no tests", "Run next round"),
        ("layer3", "QA result: FAIL (Layer 3). no tests.", "Run next round to fix FAIL items"),
    ],
)
def test_a_variant_has_words_of_its_own_and_shares_the_others(variant: str, text: str, fix: str) -> None:
    question = gate_question(ENGLISH, "qa", variant=variant, retries=2, summary="no tests")
    assert (question.text, question.options[0].description) == (text, fix)
    assert question.options[1].label == "Accept as-is"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_gate_can_be_asked_in_every_language(lang: str) -> None:
    for gate in CHOICES:
        question = question_at(gate, lang=lang)
        assert question.lang == lang
        assert all(option.label and option.description for option in question.options)


def test_free_text_can_be_an_answer_at_two_gates_only() -> None:
    asked = [question_at(gate) for gate in CHOICES]
    assert [question.gate for question in asked if question.takes_text] == ["model", "spec"]


@pytest.mark.parametrize(
    ("gate", "choice", "complaint"),
    [
        ("sepc", "proceed", 'there is no gate "sepc"; gates are conflict, session'),
        ("spec", "yes", "spec can be answered with proceed, modify, stop"),
        ("spec", "", "spec can be answered with"),
        ("model", "huge", "model can be answered with default, all-opus, balanced, economy"),
        ("model", "executor:", "--answer model=executor:: executor needs the name of a model"),
        ("model", "cook:opus", "there is no role cook"),
    ],
)
def test_an_answer_that_cannot_be_is_refused_before_anything_starts(gate: str, choice: str, complaint: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_answer(gate, choice)
    assert complaint in str(raised.value)


@pytest.mark.parametrize("choice", ["balanced", "executor:haiku", "executor:a,advisor:b,evaluator:c:7b", "advisor:b"])
def test_models_can_be_answered_with_a_preset_or_with_names(choice: str) -> None:
    assert check_answer("model", choice) == "model"


def test_waiting_says_how_the_gate_can_be_answered() -> None:
    waiting = Waiting(gate_question(ENGLISH, "commit"))
    assert str(waiting) == (
        "waiting at the gate commit: Commit; answer it in a terminal with onbook workflow resume, "
        "or with --answer commit=code|all|none"
    )
    assert waiting.outcome.exit_code == 4


def test_stopping_ends_as_waiting_does() -> None:
    stopped = Stopped(gate_question(ENGLISH, "spec"))
    assert stopped.outcome is Outcome.WAITING
    assert str(stopped) == "stopped at the gate spec; go on with onbook workflow resume"
