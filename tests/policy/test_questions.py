"""A question shows all of what a yes would be for, and a yes is for nothing else."""

import pytest

from onbook.config.policy_settings import Permission
from onbook.policy.door import Denied
from onbook.policy.effects import LONGEST_ASKED, Delete, Run, Start, Write, can_be_asked, describe, one_line
from onbook.terminal.asker import question_about, shown_commands
from tests.policy.conftest import DoorMaker, Person

PADDING = "x" * 1000


def test_the_end_of_a_long_command_is_in_the_question() -> None:
    question, _ = question_about(Run(("make", PADDING, "rm -rf /")), "why")
    assert question.endswith("'rm -rf /'?")


def test_the_end_of_a_long_path_is_in_the_question() -> None:
    path = "/".join(["a" * 200] * 5) + "/.bashrc"
    assert question_about(Delete(path), "why")[0].endswith("/.bashrc?")


@pytest.mark.parametrize(
    "argv", [("make", "x" * LONGEST_ASKED), ("make", "\x1b" * LONGEST_ASKED), ("make", *["x"] * LONGEST_ASKED)]
)
async def test_what_does_not_fit_in_a_question_is_not_asked(open_door: DoorMaker, argv: tuple[str, ...]) -> None:
    person = Person("always")
    with pytest.raises(Denied, match="too long for a question") as denied:
        await open_door(asker=person, safe_mode=False).run(Run(argv), by="model")
    assert person.asked == []
    assert len(str(denied.value)) < 1000


def test_what_fits_exactly_can_be_asked() -> None:
    room = LONGEST_ASKED - len("write ")
    assert can_be_asked(Write("x" * room, 1))
    assert not can_be_asked(Write("x" * (room + 1), 1))


@pytest.mark.parametrize(
    "blank", ["\u3164", "\u2800", "\u115f", "\u1160", "\uffa0", "\u200b", "\u202e", "\u00a0", "\n"]
)
def test_nothing_in_a_question_is_invisible(blank: str) -> None:
    assert blank not in describe(Write(f"notes.md{blank}.sh", 1))
    assert one_line(blank) == blank.encode("unicode_escape").decode()


async def test_an_offered_file_is_asked_about_whatever_is_allowed(open_door: DoorMaker) -> None:
    person = Person("always")
    door = open_door(asker=person, allow=frozenset({"write"}), permissions=(Permission(path=".", write="allow"),))
    await door.offer("notes.md", b"one")
    person.answer = "no"
    with pytest.raises(Denied, match="it stands in the reply, and a person said no"):
        await door.offer("notes.md", b"two")
    assert len(person.asked) == 2
    assert (door.root / "notes.md").read_bytes() == b"one"
    assert [line.verdict for line in door.audit.tail(2)] == ["always", "no"]


@pytest.mark.parametrize(
    "path",
    [
        ".config/onbook/onbook.toml",
        ".local/state/onbook/grants/x.json",
        ".local/state/Onbook/trust.json",
        "Library/Application Support/onbook/trust.json",
    ],
)
async def test_nobody_is_asked_whether_a_model_may_change_its_own_rules(open_door: DoorMaker, path: str) -> None:
    person = Person("always")
    with pytest.raises(Denied, match="belongs to git or to onbook"):
        await open_door(asker=person, allow=frozenset({"write"})).write(path, b"x", by="model")
    assert person.asked == []


@pytest.mark.parametrize("path", ["../outside/x", ".git/hooks/x", ".onbook/x"])
async def test_an_offered_file_is_refused_like_any_other(open_door: DoorMaker, path: str) -> None:
    person = Person("once")
    with pytest.raises(Denied):
        await open_door(asker=person).offer(path, b"x")
    assert person.asked == []


def test_the_last_of_many_commands_that_would_start_is_shown() -> None:
    start = Start("pipeline p", "0", (f"echo {PADDING}", "./evil.sh\r./good.sh"))
    assert shown_commands(start)[-1] == "  ./evil.sh\\r./good.sh"


def test_a_few_commands_stand_in_the_reason_alone() -> None:
    assert shown_commands(Start("pipeline p", "0", ("./a.sh", "wc -l"))) == []
