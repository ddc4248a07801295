"""`onbook` in a real terminal: a prompt that stays while answers stream, and goes on after what went wrong."""

from tests.conftest import CommandLine
from tests.scripted import Reply, ScriptedServer, SlowFirstByte, Stall, Status
from tests.terminal.conftest import See
from tests.terminal.test_terminal import FAR


def test_the_banner_says_where_we_are_and_who_answers(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    lines = seen.screen.split("\n")
    assert lines[0].startswith("onbook ")
    assert lines[0].endswith("/work")
    assert lines[1].startswith("recording to .onbook/sessions/")
    assert lines[2].startswith("safe mode on · sandbox: ")
    assert lines[3] == "onbook: model: llama3:latest (route scripted, onbook.toml)"
    assert seen.leave() == 0


def test_a_conversation_is_typed_line_by_line(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("hello")
    seen.until("You said: hello")
    seen.until("llama3:latest · 2 + 4 tokens")
    seen.enter("")
    seen.enter("again")
    seen.until("You said: again")
    seen.ready()
    assert seen.leave() == 0
    assert "recorded in .onbook/sessions/" in seen.all
    assert [chat.last for chat in scripted_model.chats] == ["hello", "again"]


def test_what_is_typed_before_the_session_is_open_is_not_lost(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.enter("hello")
    seen.until("You said: hello")
    assert seen.leave() == 0


def test_keys_are_handled_while_an_answer_streams(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("The quick brown")
    seen.send("half a line")
    seen.until(lambda: seen.input == "half a line")
    assert "running" in seen.status
    assert len(scripted_model.chats) == 1


def test_a_line_entered_while_an_answer_streams_waits_its_turn(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(SlowFirstByte(0.5, Reply("First.")), Reply("Second."))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.enter("two")
    seen.until("queued: two")
    seen.until("Second.")
    seen.ready()
    assert "queued" not in seen.screen
    assert seen.leave() == 0
    said = seen.all
    assert said.index("> one") < said.index("First.") < said.index("> two") < said.index("Second.")
    assert [turn.user for turn in run.turns()] == ["one", "two"]


def test_a_failed_turn_is_said_and_the_next_one_can_begin(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Status(401, {"error": {"message": "no"}}))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("onbook: scripted: refused: no (HTTP 401)")
    seen.enter("two")
    seen.until("You said: two")
    assert seen.leave() == 0


def test_the_plug_is_pulled_between_turns(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("You said: one")
    scripted_model.stop()
    seen.enter("two")
    seen.until("onbook: unreachable; trying again in 0.")
    seen.until("onbook: scripted: unreachable: cannot reach")
    scripted_model.start()
    seen.enter("three")
    seen.until("You said: three")
    assert seen.leave() == 0


def test_without_a_model_the_session_is_there_and_says_so(see: See) -> None:
    seen = see("--model", "nobody")
    seen.until("nobody")
    seen.enter("/help")
    seen.until("/write")
    assert seen.leave() == 0


def test_a_session_that_cannot_be_opened_is_one_line_and_an_exit_code(see: See, scripted_model: ScriptedServer) -> None:
    seen = see("--continue", "nonsense")
    assert seen.end() == 2
    assert "onbook: no session" in seen.all
    assert "Traceback" not in seen.all


def test_a_session_asks_for_trust_before_it_begins_and_not_again(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    (run.workspace / "onbook.toml").write_text(FAR)
    for times in range(2):
        seen = see()
        if times == 0:
            seen.until("[y/N]")
            seen.enter("yes")
            seen.until("onbook: trusted: ")
        seen.ready()
        seen.enter("hello")
        seen.until("You said: hello")
        assert seen.leave() == 0
