"""`onbook` without a command: piped lines are turns of one session."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually
from tests.scripted import Reply, ScriptedServer, Stall, Status


def test_piped_lines_are_turns_of_one_session(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="one\n\n  \ntwo\r\nthree")
    assert (done.code, done.stdout) == (0, "You said: one\nYou said: two\nYou said: three\n")
    assert [turn.user for turn in run.turns()] == ["one", "two", "three"]
    assert [message["content"] for message in scripted_model.chats[2].messages] == [
        "one",
        "You said: one",
        "two",
        "You said: two",
        "three",
    ]
    assert not {"\x1b", "\r", ">"} & set(done.stdout + done.stderr)


def test_nothing_said_leaves_no_session(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="\n")
    assert (done.code, done.stdout) == (0, "")
    assert "recorded" not in done.stderr
    assert not run.transcripts


def test_continue_goes_on_with_the_latest_session_or_the_one_named(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    run.record(("one", "1"))
    assert run("--continue", stdin="two\n").code == 0
    assert run("--continue", run.transcripts[0].stem, "--no-record", stdin="three\n").code == 0
    assert [message["content"] for message in scripted_model.chats[1].messages[::2]] == ["one", "two", "three"]
    assert [turn.user for turn in run.turns()] == ["one", "two"]


def test_options_reach_the_conversation(run: CommandLine, scripted_model: ScriptedServer, tmp_path: Path) -> None:
    done = run("-m", "scripted", "--system", "Sing.", "--workspace", str(tmp_path), "--no-record", stdin="one\n")
    assert "onbook: model: llama3:latest (route scripted, --model)" in done.stderr
    assert scripted_model.chats[0].messages[0] == {"role": "system", "content": "Sing."}
    assert not (tmp_path / ".onbook").exists()


def test_a_script_gets_the_first_outcome_that_was_not_good(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Status(401), Reply("better"))
    done = run(stdin="one\ntwo\n")
    assert (done.code, done.stdout) == (5, "better\n")
    assert [turn.outcome for turn in run.turns()] == ["model_failed", "passed"]


@pytest.mark.parametrize(("stdin", "what"), [(b"caf\xe9\n", "not UTF-8 text"), (b"a\0b\n", "binary, not text")])
def test_lines_that_are_not_text_are_refused(
    run: CommandLine, scripted_model: ScriptedServer, stdin: bytes, what: str
) -> None:
    done = run(stdin=b"one\n" + stdin)
    assert (done.code, done.stdout) == (2, "You said: one\n")
    assert done.stderr.splitlines()[-1] == f"onbook: standard input is {what}"
    assert len(run.turns()) == 1


def test_a_reader_that_leaves_ends_the_conversation(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("first line\n" + "word " * 3000, delay=0.001))
    done = run.shell("printf 'one\\ntwo\\nthree\\n' | $onbook | head -1; exit ${PIPESTATUS[1]}")
    assert (done.code, done.stdout) == (141, "first line\n")
    assert len(scripted_model.chats) == 1
    assert "Traceback" not in done.stderr
    assert [turn.outcome for turn in run.turns()] == ["cancelled"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_mid_answer_ends_a_piped_conversation(
    run: CommandLine, scripted_model: ScriptedServer, number: signal.Signals
) -> None:
    scripted_model.replies(Stall(after_chunks=2))
    process = run.start(stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"one\ntwo\n")
    process.stdin.flush()
    assert process.stdout.read(9) == b"The quick"
    process.send_signal(number)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Cancelled." in stderr.decode()
    assert len(scripted_model.chats) == 1
    assert [turn.outcome for turn in run.turns()] == ["cancelled"]


def test_a_signal_between_turns_ends_the_conversation_and_its_record(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    process = run.start(stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"one\n")
    process.stdin.flush()
    eventually(lambda: run.transcripts)
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    assert "Traceback" not in stderr.decode()
    assert run.transcripts[0].read_text().endswith("THE END.\n")
