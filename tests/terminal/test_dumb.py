"""Terminals that can do nothing: a line a turn, and no control codes at all."""

import pexpect

from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer, SlowFirstByte, Stall
from tests.terminal.test_terminal import PROMPT, everything


def test_a_dumb_terminal_gets_a_prompt_and_no_control_codes(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(SlowFirstByte(0.5, Reply("**Fine.**\x1b[2J", reasoning="Hm.")))
    child = terminal(TERM="dumb")
    child.expect(PROMPT)
    shown = str(child.before)
    child.sendline("How are you?")
    child.expect(PROMPT)
    shown += str(child.before)
    child.sendline("/help")
    child.expect(PROMPT)
    shown += str(child.before)
    child.sendeof()
    shown += everything(child)
    assert "**Fine.**\\x1b[2J\r\n" in shown
    assert "\x1b" not in shown
    assert "\r" not in shown.replace("\r\n", "")


def test_a_dumb_terminal_gets_the_banner_too(terminal: Terminal, scripted_model: ScriptedServer) -> None:
    child = terminal(TERM="dumb")
    child.expect(PROMPT)
    lines = str(child.before).splitlines()
    assert lines[0].startswith("onbook ")
    assert lines[1].startswith("recording to .onbook/sessions/")
    assert lines[2].startswith("safe mode on · sandbox: ")
    assert lines[3] == "onbook: model: llama3:latest (route scripted, onbook.toml)"


def test_ctrl_c_cancels_the_turn_and_drops_a_half_typed_line(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    child = terminal(TERM="dumb")
    child.expect(PROMPT)
    child.sendline("one")
    child.expect_exact("The quick brown")
    child.sendintr()
    child.expect_exact("Cancelled.")
    child.expect(PROMPT)
    child.send("rm -rf")
    child.sendintr()
    child.expect(PROMPT)
    child.sendline("/exit")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert [(turn.user, turn.outcome) for turn in run.turns()] == [("one", "cancelled")]


def test_without_a_model_the_session_is_there_and_says_so(terminal: Terminal) -> None:
    child = terminal("--model", "nobody", TERM="dumb")
    child.expect_exact("nobody")
    child.expect(PROMPT)
    child.sendline("/exit")
    everything(child)
    assert child.exitstatus == 0


def test_a_tool_is_said_on_standard_error(run: CommandLine, scripted_model: ScriptedServer) -> None:
    from tests.scripted import ToolCall

    (run.workspace / "notes.md").write_text("hello\n")
    scripted_model.replies(Reply(tool_calls=(ToolCall("1", "read_file", '{"path": "notes.md"}'),)), Reply("Read."))
    done = run(stdin="read it\n")
    assert done.stdout == "Read.\n"
    assert "✓ read_file notes.md · " in done.stderr


def test_the_log_level_is_heeded(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="/loglevel none\n/read nothing.md\nhello\n")
    assert "onbook: recorded in" not in done.stderr
    assert "You said: hello\n" in done.stdout
