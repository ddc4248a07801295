"""How an answer or a session is stopped: keys, commands, signals, a terminal that vanishes."""

import signal

import pytest

from tests.conftest import CommandLine, eventually
from tests.scripted import Reply, ScriptedServer, Stall
from tests.terminal.conftest import See


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
