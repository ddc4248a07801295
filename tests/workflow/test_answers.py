"""Who answers a gate: what was given beforehand, then a person, then nobody. No gate is passed by default."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.events import AnyEvent, GateAnswered, GateWaiting, Note
from onbook.terminal.asker import LineAsker
from onbook.workflow.answers import Gates, GivenAnswers, answer_in, person_behind
from onbook.workflow.gates import CHOICES, Answer, GateName, Question, Waiting
from tests.workflow.questions import question_at

SPEC = question_at("spec")
MODEL = question_at("model")
COMMIT = question_at("commit")


class Somebody:
    """A person who always chooses the same, and has an editor."""

    def __init__(self, choice: str) -> None:
        self.choice = choice
        self.asked: list[Question] = []
        self.edited: list[Path] = []

    async def choose(self, question: Question) -> Answer:
        self.asked.append(question)
        return Answer(self.choice)

    async def edit(self, path: Path) -> bool:
        self.edited.append(path)
        return True


def gates(*answers: tuple[GateName, str], person: Somebody | None = None, seen: list[AnyEvent] | None = None) -> Gates:
    return Gates((seen if seen is not None else []).append, "r", GivenAnswers(answers), person)


async def test_an_answer_given_beforehand_passes_its_gate() -> None:
    assert await gates(("spec", "proceed")).ask(SPEC) == Answer("proceed")


async def test_several_answers_are_used_in_order_and_the_last_one_stays() -> None:
    keeper = gates(("spec", "modify"), ("commit", "none"), ("spec", "stop"), ("spec", "proceed"))
    assert [(await keeper.ask(SPEC)).choice for _ in range(5)] == ["modify", "stop", "proceed", "proceed", "proceed"]
    assert (await keeper.ask(COMMIT)).choice == "none"


async def test_nobody_there_means_waiting() -> None:
    with pytest.raises(Waiting):
        await gates(("commit", "all")).ask(SPEC)


async def test_a_choice_that_is_not_on_offer_now_counts_as_no_answer() -> None:
    keeper = gates(("verify", "autofix"))
    assert await keeper.ask(question_at("verify")) == Answer("autofix")
    with pytest.raises(Waiting):
        await keeper.ask(question_at("verify", "continue", "stop"))


async def test_a_choice_that_was_not_on_offer_is_used_up() -> None:
    keeper = gates(("verify", "autofix"), ("verify", "continue"))
    with pytest.raises(Waiting):
        await keeper.ask(question_at("verify", "continue", "stop"))
    assert await keeper.ask(question_at("verify", "continue", "stop")) == Answer("continue")


async def test_a_person_is_asked_what_was_not_answered_beforehand() -> None:
    somebody = Somebody("stop")
    keeper = gates(("commit", "all"), person=somebody)
    assert (await keeper.ask(COMMIT)).choice == "all"
    assert (await keeper.ask(SPEC)).choice == "stop"
    assert somebody.asked == [SPEC]


async def test_models_by_name_are_an_answer() -> None:
    assert await gates(("model", "executor:a,advisor:b")).ask(MODEL) == Answer("executor:a,advisor:b")


async def test_every_gate_and_every_answer_is_an_event() -> None:
    seen: list[AnyEvent] = []
    keeper = gates(("spec", "proceed"), person=Somebody("none"), seen=seen)
    await keeper.ask(SPEC)
    await keeper.ask(COMMIT)
    asked, answered, _, by_person = seen
    assert isinstance(asked, GateWaiting)
    assert (asked.run, asked.gate, asked.options, asked.takes_text) == ("r", "spec", SPEC.options, True)
    assert isinstance(answered, GateAnswered)
    assert (answered.gate, answered.choice, answered.by) == ("spec", "proceed", "answer")
    assert isinstance(by_person, GateAnswered)
    assert (by_person.gate, by_person.by) == ("commit", "person")


async def test_a_gate_that_nobody_answers_is_an_event_without_an_answer() -> None:
    seen: list[AnyEvent] = []
    with pytest.raises(Waiting):
        await gates(seen=seen).ask(SPEC)
    assert [type(event) for event in seen] == [GateWaiting, Note]


async def test_the_editor_is_the_person_s(tmp_path: Path) -> None:
    somebody = Somebody("modify")
    assert await gates(person=somebody).edit(tmp_path)
    assert somebody.edited == [tmp_path]
    assert not await gates().edit(tmp_path)


def test_whoever_is_asked_about_effects_at_a_terminal_is_asked_at_gates() -> None:
    asker = LineAsker()
    assert person_behind(asker) is asker
    assert person_behind(None) is None


@pytest.mark.parametrize(
    ("question", "written", "answer"),
    [
        (SPEC, "proceed", Answer("proceed")),
        (SPEC, " Proceed ", Answer("proceed")),
        (SPEC, "make it smaller", Answer("modify", "make it smaller")),
        (SPEC, "", None),
        (MODEL, "balanced (Recommended)", Answer("balanced")),
        (MODEL, "executor:a, advisor:b", Answer("executor:a, advisor:b")),
        (MODEL, "executor:", None),
        (MODEL, "the best one", None),
        (COMMIT, "whatever you like", None),
        (COMMIT, "executor:a", None),
    ],
)
def test_what_is_written_is_a_choice_or_free_text_where_that_can_be_one(
    question: Question, written: str, answer: Answer | None
) -> None:
    assert answer_in(question, written) == answer


@given(st.text())
def test_no_free_text_advances_a_gate(text: str) -> None:
    chosen = answer_in(SPEC, text)
    labels = {word.casefold() for option in SPEC.options for word in (option.choice, option.label)}
    assert chosen is None or chosen.choice == "modify" or text.strip().casefold() in labels
    assert answer_in(COMMIT, text) is None or text.strip().casefold() in {
        word.casefold() for option in COMMIT.options for word in (option.choice, option.label)
    }


def test_every_choice_can_be_given_beforehand() -> None:
    for gate, choices in CHOICES.items():
        question = question_at(gate)
        assert [GivenAnswers([(gate, choice)]).take(question) for choice in choices] == [*map(Answer, choices)]
