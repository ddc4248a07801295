"""Lending the terminal to somebody else for a while: to the shell with Ctrl-Z, to the user's editor."""

import os
from pathlib import Path

import pexpect
import pytest

from tests.conftest import ONBOOK, CommandLine, default_signals, eventually
from tests.scripted import Reply, ScriptedServer
from tests.terminal.conftest import See, Seen

FIFO_EDITOR = """#!/bin/sh
echo "editing $(cat "$1")"
read line < "$GO_ON"
printf 'one\\ntwo\\n' >> "$1"
"""


@pytest.fixture
def shell(run: CommandLine, scripted_model: ScriptedServer) -> Seen:
    """A shell with job control in a terminal."""
    env = run.env | {"TERM": "xterm-256color", "PS1": "shell$ ", "INPUTRC": "/dev/null"}
    with default_signals():
        child = pexpect.spawn(
            "bash",
            ["--norc", "--noprofile", "-i"],
            cwd=str(run.workspace),
            env=env,
            encoding="utf-8",
            timeout=10,
            dimensions=(24, 100),
        )
    child.delaybeforesend = None
    seen = Seen(child, 100, 24)
    seen.until("shell$")
    return seen


def test_ctrl_z_gives_the_terminal_back_and_fg_goes_on(shell: Seen, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("An answer.\n\n" * 20, delay=0.05))
    shell.enter(" ".join(ONBOOK))
    shell.ready()
    shell.enter("hello")
    shell.until("An answer.")
    shell.send("half a line")
    shell.until(lambda: shell.input == "half a line")
    shell.send("\x1a")
    shell.until("Stopped")
    shell.enter("stty -a; echo quiet")
    shell.until("\nquiet")
    assert " icanon" in shell.all
    assert " echo " in shell.all
    shell.enter("fg")
    shell.until("tokens")
    shell.until(lambda: shell.input == "half a line")
    shell.send("\x03\x04")
    shell.until("recorded in")
    shell.child.close(force=True)


@pytest.fixture
def editor(tmp_path: Path) -> dict[str, str]:
    """An editor that waits until it is told to go on, then adds two lines."""
    program, go_on = tmp_path / "my editor", tmp_path / "go-on"
    program.write_text(FIFO_EDITOR)
    program.chmod(0o755)
    os.mkfifo(go_on)
    return {"EDITOR": f"'{program}'", "GO_ON": str(go_on)}


def test_a_message_can_be_written_in_ones_own_editor_while_an_answer_streams(
    see: See, scripted_model: ScriptedServer, editor: dict[str, str], run: CommandLine
) -> None:
    scripted_model.replies(Reply("An answer.\n\n" * 20, delay=0.02))
    seen = see(**editor)
    seen.ready()
    seen.enter("hello")
    seen.until("An answer.")
    seen.send("zero\x18\x05")
    seen.until("editing zero")
    before = seen.raw
    eventually(lambda: run.transcripts and [turn.outcome for turn in run.turns()] == ["passed"])
    seen.read()
    assert seen.raw == before
    Path(editor["GO_ON"]).write_text("\n")
    seen.until("tokens")
    seen.until(lambda: seen.input == "zeroone")
    seen.send("\r")
    eventually(lambda: len(scripted_model.chats) == 2)
    assert scripted_model.chats[1].last == "zeroone\ntwo"
    assert seen.leave() == 0
