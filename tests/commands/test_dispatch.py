"""A typed line, carried out."""

import asyncio

import click
import pytest

from onbook.commands import registry
from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.registry import Entry
from onbook.events import RunFinished, RunStarted
from onbook.outcome import Outcome
from onbook.policy.door import Answer
from onbook.policy.effects import Effect
from onbook.policy.undo import Change
from onbook.session.pending import Piece
from tests.commands.conftest import Typed
from tests.scripted import Reply, ScriptedServer, Status


class Asked:
    """Somebody who gives the same answer to everything."""

    def __init__(self, answer: Answer) -> None:
        self.answer: Answer = answer
        self.effects: list[Effect] = []

    async def ask(self, effect: Effect, reason: str, change: Change | None = None) -> Answer:
        self.effects.append(effect)
        return self.answer


async def test_plain_text_is_a_turn_and_takes_along_what_waits(typed: Typed, scripted_model: ScriptedServer) -> None:
    typed.live.pending.add(Piece("notes.md", "Remember the milk."))
    assert await typed("What did I note?") is Outcome.PASSED
    assert scripted_model.chats[0].messages[-1]["content"] == (
        "``` notes.md\nRemember the milk.\n```\n\nWhat did I note?"
    )
    assert typed.live.pending.pieces == ()


async def test_what_waits_stays_when_the_turn_fails(typed: Typed, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Status(400))
    typed.live.pending.add(Piece("notes.md", "Remember the milk."))
    assert await typed("What did I note?") is Outcome.MODEL_FAILED
    assert [piece.name for piece in typed.live.pending.pieces] == ["notes.md"]


async def test_an_empty_line_does_nothing(typed: Typed) -> None:
    assert await typed("  \n ") is Outcome.PASSED
    assert typed.events.seen == []


async def test_a_mention_is_answered_by_that_model_in_a_scene_of_its_own(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    typed.live.pending.add(Piece("notes.md", "Remember the milk."))
    assert await typed("@llama3: hello") is Outcome.PASSED
    assert scripted_model.chats[0].messages[-1]["content"].endswith("\n\nhello")
    assert typed.live.pending.pieces == ()


async def test_a_name_that_does_not_resolve_is_one_line_and_no_turn(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    typed.live.pending.add(Piece("notes.md", "Remember the milk."))
    assert await typed("@scritped hello") is Outcome.USAGE
    assert typed.error.startswith('model "scritped" did not resolve to a route or a known model; did you mean ')
    assert typed.events.one(RunFinished).exit_code == 2
    assert not scripted_model.chats
    assert len(typed.live.pending.pieces) == 1
    assert typed.live.chat.conversation.history == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/hlep", "/hlep is not a command; did you mean /help?"),
        ("/pipline 80% a.md", "/pipline is not a command; did you mean /pipeline?"),
        ("/nope", "/nope is not a command; /help lists them"),
        ("/config", "/config is not a command; /help lists them"),
        ("/files --dpth 2", "/files: no such option --dpth; did you mean --depth?"),
        ("/files --nope", "/files: no such option --nope; usage: /files "),
        ("/xyzzy", "/xyzzy is not a command; /help lists them"),
        ("/read_dir src", "/read_dir is not a command; did you mean /read-dir?"),
        ("/help 'a", "/help: no closing quotation: close the quote, or write \\' for the mark itself"),
        ("/exit now", "/exit: got unexpected extra argument (now); usage: /exit"),
        ("/files --depth x", "/files: invalid value for --depth: 'x' is not a whole number; usage: /files [--depth N]"),
        ("/loglevel loud", "/loglevel: invalid value for [none|info|debug]: 'loud' is not one of "),
        ("/session shwo", '/session: no "shwo" here; did you mean show?'),
        ("!", "!: the name of a program is missing, as in !ls -l"),
    ],
)
async def test_bad_input_is_one_line(typed: Typed, line: str, complaint: str) -> None:
    assert await typed(line) is Outcome.USAGE
    assert typed.error.startswith(complaint)
    assert "\n" not in typed.error


@pytest.mark.usefixtures("own_commands")
async def test_help_can_be_asked_for_with_an_option_or_by_a_groups_name(typed: Typed) -> None:
    for line in ("/model --help", "/MODEL -h"):
        assert await typed(line) is Outcome.PASSED
        assert typed.text.startswith("/model [list|NAME]\n\n  Show or change the model that answers.\n")
    assert await typed("/things") is Outcome.PASSED
    assert typed.text.startswith("/things count\n")
    assert await typed("/session show -h") is Outcome.PASSED
    assert typed.text == "/session show [SESSION]\n\n  Show a recorded session.\n"


@pytest.fixture
def own_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    here = "tests.commands.test_dispatch"
    added = {name: Entry("session", f"{here}:{name}", "") for name in ("broken", "slow", "weighs", "things")}
    monkeypatch.setattr(registry, "COMMANDS", registry.COMMANDS | added)


@click.command()
@click.pass_obj
async def broken(call: Call) -> None:
    """Break."""
    raise ZeroDivisionError("of ours")


@click.command()
@click.pass_obj
async def slow(call: Call) -> None:
    """Never end."""
    call.say("waiting")
    await asyncio.Event().wait()


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--depth", type=int, metavar="N")
@click.pass_obj
async def weighs(call: Call, files: tuple[str, ...], depth: int) -> Outcome:
    """Weigh."""
    return Outcome.BELOW_THRESHOLD


@click.group(cls=Group)
def things() -> None:
    """Things."""


@things.command()
@click.pass_obj
async def count(call: Call) -> None:
    """Count them."""


@pytest.mark.usefixtures("own_commands")
async def test_a_mistake_of_ours_is_one_line_and_the_session_goes_on(typed: Typed) -> None:
    assert await typed("/broken") is Outcome.FAILED
    assert typed.error == "internal error: ZeroDivisionError: of ours (ONBOOK_DEBUG=1 shows where)"
    assert await typed("hello") is Outcome.PASSED


async def test_a_mistake_of_ours_before_a_turn_has_begun_is_said_too(typed: Typed) -> None:
    typed.live.pending.add(Piece("not a text", None))  # type: ignore[arg-type]
    assert await typed("hello") is Outcome.FAILED
    assert typed.error.startswith("internal error: ")
    typed.live.pending.drop(typed.live.pending.pieces)
    assert await typed("hello") is Outcome.PASSED


@pytest.mark.usefixtures("own_commands")
async def test_a_cancelled_command_ends_as_a_cancelled_run(typed: Typed) -> None:
    running = asyncio.create_task(typed("/slow"))
    while not typed.seen.of(RunStarted):
        await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert typed.events.one(RunFinished).outcome == "cancelled"
    assert typed.text == "waiting\n"


@pytest.mark.usefixtures("own_commands")
async def test_a_command_can_end_in_its_own_way(typed: Typed) -> None:
    assert await typed("/weighs a") is Outcome.BELOW_THRESHOLD


@pytest.mark.usefixtures("own_commands")
async def test_a_usage_error_shows_the_usage(typed: Typed) -> None:
    assert await typed("/weighs") is Outcome.USAGE
    assert typed.error == "/weighs: missing argument FILE…; usage: /weighs [--depth N] FILE…"
    assert await typed("/weighs --depth x a") is Outcome.USAGE
    assert typed.error.startswith("/weighs: invalid value for --depth: 'x' is not a valid integer; usage: ")


REPLY = "Here:\n\n```python src/hello.py\nprint('hello')\n```\n"


async def test_the_files_of_a_reply_are_written_after_a_yes(typed: Typed, scripted_model: ScriptedServer) -> None:
    typed.live.door.asker = asked = Asked("once")
    scripted_model.replies(Reply(REPLY))
    assert await typed("Write hello") is Outcome.PASSED
    assert len(asked.effects) == 1
    assert (typed.live.root / "src" / "hello.py").read_text() == "print('hello')\n"
    assert typed.text == "wrote src/hello.py; /undo takes it back\n"


async def test_without_a_yes_nothing_is_written(typed: Typed, scripted_model: ScriptedServer) -> None:
    typed.live.door.asker = Asked("no")
    scripted_model.replies(Reply(REPLY))
    assert await typed("Write hello") is Outcome.PASSED
    assert not (typed.live.root / "src").exists()
    assert any(note.startswith("refused to write src/hello.py") for note in typed.notes)


async def test_a_yes_to_a_tool_is_none_to_what_stands_in_a_reply(typed: Typed, scripted_model: ScriptedServer) -> None:
    typed.live.door.asker = asked = Asked("session")
    await typed.live.door.write("src/hello.py", b"mine\n", by="model")
    asked.answer = "no"
    scripted_model.replies(Reply(REPLY))
    await typed("Show me an example")
    assert len(asked.effects) == 2
    assert (typed.live.root / "src" / "hello.py").read_text() == "mine\n"


async def test_where_nobody_can_be_asked_nothing_is_offered(typed: Typed, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(REPLY))
    assert await typed("Write hello") is Outcome.PASSED
    assert len(typed.events.of(RunStarted)) == 1
    assert not (typed.live.root / "src").exists()


async def test_a_file_that_is_like_that_already_is_not_offered(typed: Typed, scripted_model: ScriptedServer) -> None:
    (typed.live.root / "src").mkdir()
    (typed.live.root / "src" / "hello.py").write_text("print('hello')\n")
    typed.live.door.asker = asked = Asked("once")
    scripted_model.replies(Reply(REPLY))
    await typed("Write hello")
    assert asked.effects == []


async def test_a_file_outside_is_refused_without_a_question(typed: Typed, scripted_model: ScriptedServer) -> None:
    typed.live.door.asker = asked = Asked("once")
    scripted_model.replies(Reply("```python ../outside.py\nprint()\n```"))
    await typed("Write outside")
    assert asked.effects == []
    assert not (typed.live.root.parent / "outside.py").exists()
    assert typed.notes[-1].startswith("refused to write ../outside.py: it leads out of the workspace")
