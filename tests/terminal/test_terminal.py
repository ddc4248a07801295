"""onbook in a real pseudo-terminal: what a person sees, and which keys do what."""

import re

import pexpect
import pytest

from tests.conftest import CommandLine, Terminal, eventually
from tests.scripted import Reply, ScriptedServer, SlowFirstByte, Stall, Status
from tests.scripted.faults import LINE

PROMPT = r"> "
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def everything(child: pexpect.spawn) -> str:
    """All that is still to come, to the end of the program."""
    child.expect(pexpect.EOF)
    child.close()
    return str(child.before)


def test_the_answer_streams(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    child = terminal("ask", "Tell me")
    child.expect_exact("The quick brown")
    assert child.isalive()
    child.sendintr()
    assert "Cancelled." in everything(child)
    assert child.exitstatus == 130


def test_a_spinner_turns_while_the_model_is_silent_and_is_wiped(
    terminal: Terminal, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(SlowFirstByte(0.8, Reply("At last.")))
    child = terminal("ask", "--no-record", "hello")
    child.expect_exact("⠋ llama3:latest | 0s")
    child.expect_exact("\r\x1b[KAt last.")
    assert "⠙" not in everything(child)


def test_the_spinner_turns_on_while_a_call_is_tried_again(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Status(503, headers={"Retry-After": "0.6"}), Reply("At last."))
    child = terminal("ask", "--no-record", "hello")
    child.expect_exact("onbook: overloaded; trying again in 0.6 s")
    child.expect_exact("⠋ llama3:latest")
    child.expect_exact("\x1b[KAt last.")
    everything(child)


def test_reasoning_is_dimmed_and_recorded_as_a_note(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(Reply("Four.", reasoning="Two and two"))
    child = terminal("ask", "2 + 2?")
    child.expect_exact("\x1b[2mTwo and two\x1b[0m\r\nFour.\r\n")
    everything(child)
    assert "[[thinking: Two and two]]" in run.transcripts[0].read_text()
    assert run.turns()[0].reasoning == "Two and two"


def test_no_color_is_respected(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Four.", reasoning="Two and two"))
    shown = everything(terminal("ask", "2 + 2?", NO_COLOR="1"))
    assert "Two and two\r\nFour.\r\n" in shown
    assert "\x1b[2m" not in shown


def test_a_warning_is_not_dimmed(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("And then", finish_reason="length"))
    shown = everything(terminal("ask", "Go on"))
    assert "And then\r\nonbook: the answer was cut off at the model's length limit\r\n" in shown
    assert "\x1b[2monbook: model: llama3:latest" in shown


def test_a_reply_cannot_drive_the_terminal(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    nasty = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md\re\b\r\nf"
    scripted_model.replies(Reply(deltas=("a\x1b", "]0;owned\x07b\x1b[2Jc\x9b31md\re\b\r", "\nf")))
    tame = "a\\x1b]0;owned\\x07b\\x1b[2Jc\\x9b31mde\\x08\r\nf\r\n"
    assert tame in everything(terminal("ask", "hello"))
    assert run.turns()[0].reply == nasty
    shown = everything(terminal("show"))
    assert tame in shown
    assert not CODES.search(shown)


def test_an_error_of_a_server_cannot_drive_the_terminal(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Status(400, {"error": {"message": "bad \x1b]0;owned\x07"}}))
    shown = everything(terminal("route", "probe", "scripted"))
    assert "bad \\x1b]0;owned\\x07" in shown
    assert "\x1b" not in shown


def test_an_answer_bound_by_a_schema_keeps_the_spinner_until_it_is_known_to_be_good(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    (run.workspace / "s.json").write_text('{"type": "object"}')
    scripted_model.replies(Reply(deltas=('{"n":', " 1", "}"), delay=0.3))
    child = terminal("ask", "--schema", "s.json", "--no-record", "hello")
    child.expect_exact("llama3:latest | 1s")  # long after the first piece of the answer
    child.expect_exact('\r\x1b[K{"n": 1}\r\n')
    everything(child)


def test_a_table_fits_the_terminal(terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine) -> None:
    run.record(("word " * 100, "yes"))
    lines = everything(terminal("sessions")).splitlines()
    assert len(lines) == 2
    assert max(map(len, lines)) <= 100


def test_the_server_is_told_at_once_when_a_person_stops_reading(
    terminal: Terminal, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Stall(after_chunks=1, reply=LINE))
    child = terminal("ask", "hello")
    child.expect_exact("The")
    child.close(force=False)
    assert eventually(lambda: scripted_model.abandoned)


FAR = """[[routes]]
name = "far"
url = "https://far.example/v1"
key_env = "FAR_KEY"
"""


@pytest.mark.parametrize(("answer", "trusted"), [("y", True), ("", False), ("no", False)])
def test_a_person_may_trust_the_workspace_when_something_is_left_out(
    terminal: Terminal,
    scripted_model: ScriptedServer,
    run: CommandLine,
    answer: str,
    trusted: bool,  # noqa: FBT001
) -> None:
    (run.workspace / "onbook.toml").write_text(FAR)
    child = terminal("ask", "hello")
    child.expect_exact("route far to https://far.example/v1 with the key in FAR_KEY\r\n")
    child.expect_exact("[y/N] ")
    child.sendline(answer)
    shown = " ".join(everything(child).split())
    assert "You said: hello" in shown
    assert ("is not trusted: left out route far" in shown) == (not trusted)
    assert ("far" in run("route", "list").stdout) == trusted


def test_nobody_is_asked_for_trust_without_a_terminal(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    (run.workspace / "onbook.toml").write_text(FAR)
    done = run("ask", "hello")
    assert (done.code, "[y/N]" in done.stderr) == (0, False)
    assert "is not trusted: left out route far" in done.stderr


def test_a_server_cannot_drive_the_terminal_through_the_doctor(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    nasty = Status(401, {"error": {"message": "bad \x1b]0;owned\x07"}})
    scripted_model.rule(lambda _request: True, nasty, path="/v1/models")
    shown = everything(terminal("doctor"))
    assert "\x1b[31m✗\x1b[39m route scripted: " in shown
    assert "bad \\x1b]0;owned\\x07" in shown
    assert "\x1b]" not in shown
