"""What a person can see and change about the door while a session lasts: answers, safe mode, what a turn did."""

import pytest

from onbook.policy.door import Denied, Door
from onbook.policy.effects import Delete, Read, Run, Write
from tests.policy.conftest import DoorMaker, Person


async def test_answers_are_listed_and_can_be_taken_back(open_door: DoorMaker) -> None:
    person = Person("session")
    door = open_door(asker=person)
    await door.write("a.md", b"a", by="model")
    person.answer = "always"
    await door.write("b.md", b"b", by="model")
    assert door.answers.for_session == ("write:a.md",)
    assert door.answers.for_always == {"write:b.md"}
    assert door.answers.forget("write:a.md")
    assert door.answers.forget("write:b.md")
    assert not door.answers.forget("write:c.md")
    person.answer = "no"
    for path in ("a.md", "b.md"):
        with pytest.raises(Denied, match="a person said no"):
            await door.write(path, b"x", by="model")
    assert open_door().answers.for_always == frozenset()


async def test_safe_mode_is_switched_for_this_door_alone(open_door: DoorMaker) -> None:
    door = open_door(asker=Person("once"))
    with pytest.raises(Denied, match="not among the programs"):
        await door.run(Run(("python3", "-c", "")), by="model")
    door.switch_safe_mode(on=False)
    assert (await door.run(Run(("python3", "-c", "")), by="model")).exit_code == 0
    door.switch_safe_mode(on=True)
    with pytest.raises(Denied, match="not among the programs"):
        await door.run(Run(("python3", "-c", "")), by="model")
    assert open_door().rules.safe_mode


@pytest.mark.parametrize("by", ["user", "model"])
async def test_what_promises_to_read_only_is_held_to_it_whoever_asks(open_door: DoorMaker, by: str) -> None:
    door = open_door(asker=Person("once"), safe_mode=False, programs=("git",))
    assert b"first" in (await door.run(Run(("git", "log")), by=by, only_known=True)).output  # type: ignore[arg-type]
    for words in (("commit", "--allow-empty", "-m", "x"), ("log", "--output=x"), ("show", "HEAD:.env")):
        with pytest.raises(Denied):
            await door.run(Run(("git", *words)), by=by, only_known=True)  # type: ignore[arg-type]
    last = door.audit.tail(1)[0]
    assert (last.verdict, last.by) == ("deny", by)
    assert not (door.root / "x").exists()


async def test_taking_back_is_written_down_file_by_file(open_door: DoorMaker) -> None:
    door = open_door(asker=Person("once"))
    door.begin_turn()
    await door.write("notes.md", b"changed\n", by="model")
    await door.write("new.md", b"new\n", by="model")
    assert [(change.path, change.old, change.new) for change in await door.changes()] == [
        ("notes.md", b"hello\n", b"changed\n"),
        ("new.md", None, b"new\n"),
    ]
    assert (await door.take_back()).restored == ("notes.md", "new.md")
    assert (door.root / "notes.md").read_bytes() == b"hello\n"
    assert not (door.root / "new.md").exists()
    effects = [(line.by, line.effect) for line in door.audit.tail(4)]
    assert effects == [
        ("user", Read("notes.md")),
        ("user", Read("new.md")),
        ("user", Write("notes.md", 6)),
        ("user", Delete("new.md")),
    ]


async def test_a_read_that_is_asked_about_is_read_after_the_answer(open_door: DoorMaker) -> None:
    from onbook.config.policy_settings import Permission

    person = Person("once")
    door: Door = open_door(asker=person, permissions=(Permission("private", read="ask"),))
    assert await door.read("private/diary.txt", by="model") == b"dear diary\n"
    assert [line.verdict for line in door.audit.tail()] == ["once"]
    person.answer = "no"
    with pytest.raises(Denied):
        await door.read("private/diary.txt", by="model")
