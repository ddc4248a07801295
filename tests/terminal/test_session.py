"""`onbook` in a real terminal: a prompt that stays while answers stream, and which keys do what."""

import re
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually
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


def test_a_finished_block_is_drawn_and_the_growing_one_is_shown_as_it_is(
    see: See, scripted_model: ScriptedServer
) -> None:
    text = "# Plan\n\nSome **bold** words\nand <b>tags</b>.\n\n```python\nx = 1\n```\n\n- first\n- second *item*"
    scripted_model.replies(Stall(after_chunks=100, reply=Reply(text)))
    seen = see()
    seen.ready()
    seen.enter("go")
    seen.until("- second *item*")
    seen.until("Some bold words\nand <b>tags</b>.")
    assert "**" not in seen.screen
    assert "```" not in seen.screen
    assert "\x1b[1mbold\x1b[0m" in seen.raw


def test_a_spinner_turns_in_the_seeds_form_while_the_model_is_silent(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(SlowFirstByte(1.0, Reply("At last.")))
    seen = see()
    seen.ready()
    seen.enter("hello")
    seen.until(lambda: bool(re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] llama3:latest \| \ds", seen.screen)))
    seen.until("At last.")
    seen.ready()
    assert "llama3:latest |" not in seen.screen


def test_ctrl_c_cancels_the_answer_and_the_session_goes_on(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("The quick brown")
    seen.send("\x03")
    seen.until("Cancelled.")
    assert scripted_model.wait_for_disconnect()
    seen.enter("two")
    seen.until("You said: two")
    seen.ready()
    assert seen.leave() == 0
    assert [(turn.user, turn.outcome) for turn in run.turns()] == [("one", "cancelled"), ("two", "passed")]
    assert [message["content"] for message in scripted_model.chats[1].messages] == ["two"]


def test_ctrl_c_drops_what_waits_too(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("The quick brown")
    seen.enter("two")
    seen.until("queued: two")
    seen.send("\x03")
    seen.until("onbook: 1 waiting line dropped")
    seen.until("Cancelled.")
    seen.ready()
    assert len(scripted_model.chats) == 1
    assert seen.all.count("Cancelled.") == 1


@pytest.mark.parametrize("by_signal", [False, True])
def test_ctrl_c_drops_a_half_typed_line(
    see: See,
    scripted_model: ScriptedServer,
    by_signal: bool,  # noqa: FBT001
) -> None:
    seen = see()
    seen.ready()
    seen.send("rm -rf")
    seen.until(lambda: seen.input == "rm -rf")
    if by_signal:
        seen.child.kill(signal.SIGINT)
    else:
        seen.send("\x03")
    seen.until(lambda: seen.input == "")
    seen.enter("hello")
    seen.until("You said: hello")
    assert [chat.last for chat in scripted_model.chats] == ["hello"]


def test_a_storm_of_ctrl_c_cancels_one_answer_and_kills_nothing(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.until("\n>")
    seen.send("\x03" * 20)
    seen.ready()
    seen.enter("one")
    seen.until("The quick brown")
    seen.send("\x03" * 200)
    seen.until("Cancelled.")
    seen.enter("two")
    seen.until("You said: two")
    assert seen.leave() == 0
    assert seen.all.count("Cancelled.") == 1


def test_ctrl_d_in_mid_answer_records_it_and_leaves(see: See, scripted_model: ScriptedServer, run: CommandLine) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("The quick brown")
    assert seen.leave() == 0
    assert [turn.outcome for turn in run.turns()] == ["cancelled"]
    assert run.transcripts[0].read_text().endswith("THE END.\n")


@pytest.mark.parametrize("line", ["/exit", "/quit", "/bye"])
def test_exit_leaves(see: See, scripted_model: ScriptedServer, line: str) -> None:
    seen = see()
    seen.ready()
    seen.enter(line)
    assert seen.end() == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_stopping_signal_in_mid_answer_ends_the_session_and_its_record(
    see: See, scripted_model: ScriptedServer, run: CommandLine, number: signal.Signals
) -> None:
    scripted_model.replies(Reply("fine"), Stall(after_chunks=2))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("fine")
    seen.enter("two")
    seen.until("The quick")
    seen.child.kill(number)
    assert seen.end() == 130
    assert [turn.outcome for turn in run.turns()] == ["passed", "cancelled"]
    assert "Traceback" not in seen.all


def test_a_terminal_that_vanishes_ends_the_session_and_its_record(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(Stall(after_chunks=2))
    seen = see()
    seen.ready()
    seen.enter("one")
    seen.until("The quick")
    seen.child.close(force=False)
    assert eventually(lambda: scripted_model.abandoned)
    assert eventually(lambda: [turn.outcome for turn in run.turns()] == ["cancelled"])


def test_sigterm_at_the_prompt_leaves(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.child.kill(signal.SIGTERM)
    assert seen.end() == 130


def test_a_terminal_resized_in_mid_answer_goes_on(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("word " * 60, delay=0.02))
    seen = see()
    seen.ready()
    seen.enter("go")
    seen.until("word word")
    seen.resize(40, 12)
    seen.until("tokens")
    seen.enter("more")
    seen.until("You said: more")
    assert seen.leave() == 0


def test_a_terminal_of_three_rows_is_enough(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.resize(20, 3)
    seen.enter("go")
    eventually(lambda: scripted_model.chats)
    seen.send("typed")
    seen.until(lambda: seen.input == "typed")
    assert "too small" not in seen.all
    seen.send("\x03")
    seen.until("Cancelled.")


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


def test_no_color_is_respected(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Some `code`.\n\n```python\nx = 1\n```", reasoning="Hm."))
    seen = see(NO_COLOR="1")
    seen.ready()
    seen.enter("go")
    seen.until("x = 1")
    seen.until("tokens")
    assert not re.search(r"\x1b\[(\d+;)*[349]\d[;m]", seen.raw)
    assert "\x1b[2m" not in seen.raw


def test_reasoning_is_set_back_and_stays(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Four.", reasoning="Two and two"))
    seen = see()
    seen.ready()
    seen.enter("2 + 2?")
    seen.until("Four.")
    seen.ready()
    assert "\x1b[2mTwo and two\x1b[0m" in seen.raw
    assert seen.all.index("Two and two") < seen.all.index("Four.")


def test_a_command_is_said_without_the_statistics_of_a_model(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("/nonsense")
    seen.until("onbook: /nonsense is not a command")
    seen.ready()
    assert "tokens" not in seen.all


def test_a_spinner_turns_while_a_program_is_silent(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("!sleep 20")
    seen.until(lambda: bool(re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] !sleep 20 \| \ds", seen.screen)))
    seen.send("\x03")
    seen.until("Cancelled.")
    seen.ready()
    assert "!sleep 20 |" not in seen.screen


def test_the_context_in_the_status_line_follows_what_commands_do(see: See, user_settings: Path) -> None:
    with ScriptedServer(context={"llama3:latest": 4000}, context_field="context_length") as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        user_settings.write_text(f'model = "scripted"\n\n[tools]\nenabled = false\n\n[[routes]]\n{route}\n')
        seen = see()
        seen.ready()
        seen.enter("word " * 200)
        seen.until(lambda: "context 13%" in seen.status)
        seen.enter("/clear")
        seen.until(lambda: "context 0%" in seen.status)


def test_a_failed_turn_leaves_the_context_as_it_was(see: See, user_settings: Path) -> None:
    with ScriptedServer(context={"llama3:latest": 4000}, context_field="context_length") as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        user_settings.write_text(f'model = "scripted"\n\n[[routes]]\n{route}\n')
        server.replies(Reply("Fine."), Status(401))
        seen = see()
        seen.ready()
        seen.enter("one")
        seen.until(lambda: "context 0%" in seen.status)
        seen.enter("two")
        seen.until("refused")
        seen.ready()
        assert "context 0%" in seen.status


def test_nothing_is_drawn_and_nothing_computed_while_nothing_happens(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("hello")
    seen.until("tokens")
    seen.ready()
    eventually(lambda: not _waked(seen.child.pid))


def _waked(pid: int) -> int:
    """How often the program went back to sleep within half a second."""
    counted = Path(f"/proc/{pid}/status")
    if not counted.exists():
        pytest.skip("only Linux counts this")
    before = _switches(counted)
    time.sleep(0.5)
    return _switches(counted) - before


def _switches(counted: Path) -> int:
    return int(re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", counted.read_text(), re.MULTILINE)[0])
