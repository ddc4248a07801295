"""Stopping in the middle: Ctrl-C, SIGTERM, a reader that leaves, a disk that is full."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from onbook.cli.running import run_to_outcome
from onbook.outcome import Outcome
from tests.conftest import CommandLine, Finished, default_signals, eventually
from tests.scripted import Reply, ScriptedServer, Stall


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_in_mid_answer_cancels_the_turn(
    run: CommandLine, scripted_model: ScriptedServer, number: signal.Signals
) -> None:
    scripted_model.replies(Stall(after_chunks=3))
    process = run.start("ask", "Tell me")
    assert process.stdout is not None
    assert process.stdout.read(len("The quick brown")) == b"The quick brown"
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=10)
    assert (process.returncode, stdout) == (130, b"\n")
    assert "Cancelled." in stderr.decode().splitlines()
    assert "Traceback" not in stderr.decode()
    assert scripted_model.wait_for_disconnect()
    (turn,) = run.turns()
    assert (turn.outcome, turn.reply) == ("cancelled", "The quick brown")


def test_a_signal_before_the_first_word_is_recorded_too(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=0))
    process = run.start("ask", "Tell me")
    eventually(lambda: scripted_model.chats)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130
    assert (run.turns()[0].outcome, run.turns()[0].reply) == ("cancelled", "")


def test_a_cancelled_turn_is_not_part_of_the_history(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall(after_chunks=2))
    process = run.start("ask", "first")
    assert process.stdout is not None
    process.stdout.read(9)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=10)
    run("ask", "--continue", "second")
    assert [message["content"] for message in scripted_model.chats[1].messages] == ["second"]


STARTING = """
import os, signal, sys

class Interrupted:
    def find_spec(self, name, path, target=None):
        if name == "onbook.cli.app":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupted())
from onbook.__main__ import main
sys.exit(main())
"""


def test_ctrl_c_while_onbook_is_loading_says_nothing_of_python(workspace: Path) -> None:
    with default_signals():
        done = subprocess.run([sys.executable, "-c", STARTING, "sessions"], cwd=workspace, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


STUCK = """
import sys, time
from onbook.cli import letting_go
from onbook.policy import door

def stuck(*given):
    print("stuck", flush=True)
    time.sleep(600)

door._read = stuck
letting_go.PATIENCE = 0.1
from onbook.__main__ import main
sys.exit(main())
"""


@pytest.mark.parametrize("words", [("ask", "/read a.md"), ()], ids=["a command", "a session"])
def test_ctrl_c_ends_what_waits_for_a_disk_that_no_longer_answers(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path, words: tuple[str, ...]
) -> None:
    (workspace / "a.md").write_text("x")
    command = [sys.executable, "-c", STUCK, *words]
    pipe = subprocess.PIPE
    with (
        default_signals(),
        subprocess.Popen(command, cwd=workspace, env=run.env, stdin=pipe, stdout=pipe, stderr=pipe) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"/read a.md\n")
        process.stdin.flush()
        try:
            assert process.stdout.readline() == b"stuck\n"
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130


def test_nohup_keeps_an_answer_going_when_the_terminal_closes(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("one two three", delay=0.3))
    done = run.shell("trap '' HUP; $onbook ask count & sleep 0.5; kill -HUP $!; wait $!")
    assert (done.code, done.stdout) == (0, "one two three\n")


@pytest.mark.parametrize(("options", "lines"), [("", 1), ("--json", 3)])
def test_a_reader_that_leaves_cancels_the_turn_without_a_word_of_python(
    run: CommandLine, scripted_model: ScriptedServer, options: str, lines: int
) -> None:
    scripted_model.replies(Reply("first line\n" + " word" * 4000, delay=0.001))
    done = run.shell(f"$onbook ask {options} go | head -{lines}; exit ${{PIPESTATUS[0]}}")
    assert (done.code, len(done.stdout.splitlines())) == (141, lines)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    (turn,) = run.turns()
    assert turn.outcome == "cancelled"
    assert turn.reply.startswith("first line")
    assert scripted_model.wait_for_disconnect()


def test_standard_error_that_nobody_reads_disturbs_nothing(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("fine", delay=0.2))
    done = run.shell("$onbook ask go 2> >(exec true)")
    assert (done.code, done.stdout) == (0, "fine\n")


@pytest.mark.parametrize("closed", ["<&-", "2>&-"])
def test_a_closed_stream_disturbs_nothing(run: CommandLine, scripted_model: ScriptedServer, closed: str) -> None:
    done = run.shell(f"$onbook ask go {closed}")
    assert (done.code, done.stdout) == (0, "You said: go\n")
    assert "Traceback" not in done.stderr


def test_output_that_cannot_be_written_is_a_failure_in_one_line(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    done = run.shell("$onbook ask go > /dev/full")
    assert done.code == 1
    assert "onbook: cannot write the answer to standard output: No space left on device" in done.stderr.splitlines()
    assert _is_clean(done)
    assert run.turns()[0].outcome == "failed"
    done = run.shell("$onbook show > /dev/full")
    assert (done.code, done.complaint) == (1, "standard output: No space left on device")


def test_an_answer_is_shown_when_the_disk_is_too_full_to_record_it(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    scripted_model.replies(Reply("word " * 2000))
    done = run.shell("unset ${!COV@}; ulimit -f 4; $onbook ask go")
    assert (done.code, done.stdout) == (1, "word " * 2000 + "\n")
    (line,) = [line for line in done.stderr.splitlines() if "not recorded" in line]
    assert line.endswith(": could not record: File too large")
    assert _is_clean(done)
    assert not run.transcripts


def test_a_full_disk_leaves_the_session_as_it_was(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("one", "1"))
    before = run.transcripts[0].read_bytes()
    scripted_model.replies(Reply("word " * 2000))
    done = run.shell("unset ${!COV@}; ulimit -f 4; $onbook ask --continue two")
    assert done.code == 1
    assert run.transcripts[0].read_bytes() == before


def _is_clean(done: Finished) -> bool:
    return not any(word in done.stderr for word in ("Traceback", "Exception ignored", "internal error"))


def test_ctrl_c_while_the_event_loop_is_made_is_a_quiet_cancel(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    make = asyncio.new_event_loop

    def interrupted() -> asyncio.AbstractEventLoop:
        os.kill(os.getpid(), signal.SIGINT)
        return make()

    async def work() -> Outcome:
        return Outcome.PASSED

    monkeypatch.setattr(asyncio.events, "new_event_loop", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert run_to_outcome(work()) is Outcome.CANCELLED
    finally:
        signal.signal(signal.SIGINT, before)
    gc.collect()
    assert not recwarn.list
