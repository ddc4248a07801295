"""What the workflow says, and to whom: in the language that somebody writes, with lines that can be typed where they
stand, and every sentence from the catalogues."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import onbook.workflow
from onbook.outcome import Outcome
from onbook.workflow.gates import Answer, Question, Stopped
from tests.workflow.cast import Part
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import DOCS, SPEC, TASK, Whole
from tests.workflow.whole import whole as whole

ROOM = Path(onbook.workflow.__file__).parent
KOREAN = "테스트도 함께 추가해 주세요"


class Somebody:
    """A person at the terminal who gives these answers, and remembers what they were asked."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = iter(answers)
        self.asked: list[Question] = []

    async def ask(self, *_: object) -> str:
        return "no"

    async def choose(self, question: Question) -> Answer:
        self.asked.append(question)
        answer = next(self._answers, None)
        if answer is None:
            raise Stopped(question)
        return answer

    async def edit(self, path: Path) -> bool:
        return False


def seat(whole: Whole, *answers: Answer) -> Somebody:
    person = Somebody(*answers)
    whole.typed.live.door.asker = person  # type: ignore[assignment]
    return person


async def test_a_gate_left_open_shows_the_whole_question_and_how_to_answer_it(whole: Whole) -> None:
    (whole.root / "mine.py").write_text("1\n")
    (whole.root / "README.md").write_text("Mine.\n")
    assert await whole(TASK) is Outcome.WAITING
    shown = whole.said[-1].splitlines()
    assert shown[0] == "Uncommitted changes"
    assert "(2): README.md, mine.py." in shown[1]
    assert shown[2:] == [
        "  --answer dirty=continue  Continue — Work beside them; they stay yours to commit",
        "  --answer dirty=stop      Stop — Halt, so that you can commit or put them away first",
    ]


async def test_the_form_of_own_models_is_shown_with_the_presets(whole: Whole) -> None:
    assert await whole(TASK, model="") is Outcome.WAITING
    assert "  --answer model=…         executor:<model>,advisor:<model>,evaluator:<model>" in whole.said[-1]


async def test_modify_without_an_editor_says_what_to_do(whole: Whole) -> None:
    assert await whole(TASK, spec="modify") is Outcome.WAITING
    assert whole.said[-1] == (
        f"[harness] No editor can be opened here: change {DOCS}spec.md yourself, then go on with /workflow resume"
    )


async def test_a_request_in_korean_turns_the_workflow_korean(whole: Whole) -> None:
    whole.cast.plays("planner_single", *(Part("spec generated — x", {f"{DOCS}spec.md": f"{SPEC}{n}\n"}) for n in "12"))
    person = seat(whole, Answer("modify", KOREAN))
    assert await whole(TASK, spec="") is Outcome.WAITING
    assert [question.header for question in person.asked] == ["Spec", "명세"]
    assert whole.state.user_lang == "ko"
    assert whole.said[-1].startswith("[harness] 멈췄습니다.")
    told = whole.cast.prompts("planner_single")
    assert "in the language `en`" in told[0]
    assert "in the language `ko`" in told[1]


async def test_who_brings_nothing_is_told_of_in_the_person_s_language_and_told_in_english(whole: Whole) -> None:
    whole.cast.plays("planner_single", Part("spec generated — a lie"))
    assert await whole(TASK, "--user-lang", "ko") is Outcome.WAITING
    assert whole.said.count(f"[harness] ⚠ planner: {DOCS}spec.md 파일이 작성되지 않았습니다") == 3
    assert f"The last one came to nothing: {DOCS}spec.md was not written." in whole.cast.prompts("planner_single")[-1]


async def test_words_that_are_no_answer_tell_the_language_too(whole: Whole) -> None:
    seat(whole, Answer("stop", before="이게 무슨 뜻이에요?"))
    assert await whole(TASK, spec="") is Outcome.WAITING
    assert whole.state.user_lang == "ko"


async def test_a_language_that_was_named_stays(whole: Whole) -> None:
    person = seat(whole, Answer("modify", KOREAN))
    assert await whole(TASK, "--user-lang", "de", spec="") is Outcome.WAITING
    assert whole.state.user_lang == "de"
    assert [question.lang for question in person.asked] == ["de", "de"]


async def test_a_language_named_at_a_resume_stays_from_then_on(whole: Whole) -> None:
    await whole(TASK, spec="")
    seat(whole, Answer("modify", KOREAN))
    assert await whole("resume", "--user-lang", "fr", spec="") is Outcome.WAITING
    assert (whole.state.user_lang, whole.state.lang_stays) == ("fr", True)


async def test_in_a_session_what_is_advised_can_be_typed_there(whole: Whole) -> None:
    await whole(TASK, spec="stop")
    assert whole.said[-1] == "[harness] Stopped. Nothing is lost: go on with /workflow resume"
    await whole("resume", spec="")
    assert whole.finished.error.startswith(
        "waiting at the gate spec: Spec; answer it in a terminal with /workflow resume"
    )
    await whole.typed("/workflow")
    assert whole.typed.text == "Plan complete. Run generate? /workflow generate\n"
    await whole.typed("/workflow clean")
    assert whole.typed.error.endswith("finish it (/workflow resume) or give it up (/workflow discard)")
    await whole("discard")
    await whole.typed("/workflow status")
    assert whole.typed.error == 'no workflow was begun here; begin one with: /workflow "task"'


async def test_in_a_shell_what_is_advised_can_be_typed_there(whole: Whole) -> None:
    whole.typed.live = replace(whole.typed.live, goes_on=False)
    await whole(TASK, spec="stop")
    assert whole.said[-1] == "[harness] Stopped. Nothing is lost: go on with onbook workflow resume"


def test_nothing_is_said_that_is_in_no_catalogue() -> None:
    trees = {path.name: ast.parse(path.read_text()) for path in ROOM.rglob("*.py")}
    calls = [(name, call) for name, tree in trees.items() for call in calls_of_say(tree)]
    assert len(calls) > 50
    assert [f"{name}: {ast.unparse(text)}" for name, call in calls for text in words_in(call.args[0])] == []


def calls_of_say(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name == "say":
                yield node


def words_in(said: ast.expr) -> Iterator[ast.Constant]:
    """Texts with letters in them, outside the calls that look something up."""
    if isinstance(said, ast.Constant) and isinstance(said.value, str) and any(map(str.isalpha, said.value)):
        yield said
    if not isinstance(said, ast.Call):
        for child in ast.iter_child_nodes(said):
            yield from words_in(child) if isinstance(child, ast.expr) else ()
