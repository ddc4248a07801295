"""Consent to what a role starts by itself: asked once for each state of its definition and its scripts."""

from pathlib import Path

import pytest

from onbook.flow.self_starting import ask_to_start
from onbook.flow.steps import Flow, Foreach, Once, Prompt, Script
from onbook.policy.door import Answer, Denied
from onbook.policy.effects import LONGEST_ASKED, Effect, Start, describe
from onbook.policy.undo import Change
from tests.policy.conftest import DoorMaker, Person

SCRIPT = Script(("./src/app.py", "--all"))


def flow(*scripts: Script) -> Flow:
    return Flow("review", "pipeline", tuple(Once(f"s{number}", each) for number, each in enumerate(scripts)))


async def test_a_pipeline_asks_once_and_is_then_known_in_this_workspace(open_door: DoorMaker) -> None:
    person = Person("always")
    await ask_to_start(flow(SCRIPT), open_door(asker=person))
    await ask_to_start(flow(SCRIPT), open_door(asker=person))
    ((effect, reason),) = person.asked
    assert describe(effect) == "start pipeline review by itself"
    assert reason == "on a first message it runs ./src/app.py --all"


async def test_a_changed_script_is_asked_about_again(open_door: DoorMaker, root: Path) -> None:
    person = Person("always")
    given = flow(Script(("python3", "src/app.py")))
    await ask_to_start(given, open_door(asker=person))
    (root / "src" / "app.py").write_text("print('something else')\n")
    await ask_to_start(given, open_door(asker=person))
    assert len(person.asked) == 2


async def test_a_script_that_changes_while_somebody_is_asked_is_asked_about_again(
    open_door: DoorMaker, root: Path
) -> None:
    class Slow(Person):
        async def ask(self, effect: Effect, reason: str, change: Change | None = None) -> Answer:
            if not self.asked:
                (root / "src" / "app.py").write_text("print('something else')\n")
            return await super().ask(effect, reason, change)

    person = Slow("once")
    await ask_to_start(flow(SCRIPT), open_door(asker=person))
    first, second = (effect for effect, _ in person.asked)
    assert first != second


async def test_a_changed_definition_is_asked_about_again(open_door: DoorMaker) -> None:
    person = Person("always")
    inner = Foreach("each", "FILE: (.*)", (Once("one", SCRIPT),))
    for given in (flow(SCRIPT), flow(SCRIPT, SCRIPT), Flow("review", "pipeline", (inner,))):
        await ask_to_start(given, open_door(asker=person))
    assert len(person.asked) == 3


async def test_a_line_of_shell_is_known_by_the_files_it_names(open_door: DoorMaker, root: Path) -> None:
    person = Person("always")
    given = flow(Script(("cat | python3 src/app.py 'x'",), shell=True), Script(("echo 'open",), shell=True))
    await ask_to_start(given, open_door(asker=person))
    (root / "src" / "app.py").write_text("print('something else')\n")
    await ask_to_start(given, open_door(asker=person))
    assert len(person.asked) == 2


async def test_only_the_latest_yes_is_kept(open_door: DoorMaker) -> None:
    door = open_door(asker=Person("always"))
    await door.write("notes.md", b"x", by="model")
    for given in (flow(SCRIPT), flow(SCRIPT, SCRIPT)):
        await ask_to_start(given, door)
    kept = sorted(scope.partition("@")[0] for scope in door.answers.for_always)
    assert kept == ["start:pipeline review", "write:notes.md"]


async def test_commands_too_long_for_a_question_are_refused(open_door: DoorMaker) -> None:
    person = Person("once")
    with pytest.raises(Denied, match="too long for a question"):
        await ask_to_start(flow(Script(("echo", "x" * LONGEST_ASKED)), SCRIPT), open_door(asker=person))
    assert not person.asked


async def test_a_no_is_not_remembered_and_names_the_flag(open_door: DoorMaker) -> None:
    person = Person("no")
    for _ in range(2):
        with pytest.raises(Denied, match=r"refused to start pipeline review by itself: .* a person said no .*--trust"):
            await ask_to_start(flow(SCRIPT), open_door(asker=person))
    assert len(person.asked) == 2


async def test_where_nobody_can_answer_only_the_flag_says_yes(open_door: DoorMaker) -> None:
    with pytest.raises(Denied, match="there is nobody to ask"):
        await ask_to_start(flow(SCRIPT), open_door())
    await ask_to_start(flow(SCRIPT), open_door(allow=frozenset({"start"})))


async def test_every_answer_stands_in_the_audit_log(open_door: DoorMaker) -> None:
    door = open_door(asker=Person("once"))
    await ask_to_start(flow(SCRIPT), door)
    line = door.audit.tail(1)[0]
    assert isinstance(line.effect, Start)
    assert (line.verdict, describe(line.effect)) == ("once", "start pipeline review by itself")
    assert door.audit.verify().whole


async def test_prompts_alone_start_without_a_question(open_door: DoorMaker) -> None:
    await ask_to_start(Flow("plan", "workflow", (Once("one", Prompt("plan.md")),)), open_door())
