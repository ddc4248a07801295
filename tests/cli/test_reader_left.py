"""A reader of standard output that left, as `head` does: no word about it, and the exit code of SIGPIPE everywhere."""

import os
import subprocess

import pytest

from tests.conftest import ONBOOK, CommandLine, Finished, default_signals
from tests.scripted import Reply, ScriptedServer

SIGPIPE = 141


def unread(run: CommandLine, *words: str) -> Finished:
    """The command, with a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    with default_signals():
        done = subprocess.run(
            [*ONBOOK, *words],
            stdout=writer,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=run.workspace,
            env=run.env,
        )
    os.close(writer)
    return Finished(done.returncode, "", done.stderr.decode())


@pytest.mark.parametrize(
    "line",
    ["--version", "--help", "ask --help", "help", "completion bash", "config show", "sessions", "show", "doctor"],
)
def test_a_command_whose_reader_left_ends_like_any_program(run: CommandLine, line: str) -> None:
    run.record(("hello", "Hi."))
    done = unread(run, *line.split())
    assert (done.code, done.stderr) == (SIGPIPE, "")


@pytest.mark.parametrize("line", ["ask hello", "ask --json hello", "loop 100ms hello", "loop 100ms !echo hello"])
def test_an_answer_that_nobody_reads_ends_what_is_under_way(
    run: CommandLine, scripted_model: ScriptedServer, line: str
) -> None:
    scripted_model.replies(Reply("one two three", delay=0.05))
    done = unread(run, *line.split())
    assert done.code == SIGPIPE
    assert [word for word in ("Cancelled", "Broken", "Traceback", "recorded in") if word in done.stderr] == []
    assert len(scripted_model.chats) < 2
    assert all(path.read_text().endswith("THE END.\n") for path in run.transcripts)


def test_the_prompts_of_a_pipeline_are_on_record_when_nobody_reads_the_answer(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    (run.workspace / "a.md").write_text("Say hello.")
    scripted_model.replies(Reply('Hello.\n{"confidence": 0.95}'))
    assert unread(run, "pipeline", "80%", "a.md").code == SIGPIPE
    assert '"outcome":"passed"' in run("runs", "list", "--json").stdout


def test_a_loop_of_programs_stops_when_its_reader_leaves(run: CommandLine) -> None:
    done = run.shell("$onbook loop 100ms --count 50 '!sh -c \"echo x >> n; echo hello\"' | head -1; exit $PIPESTATUS")
    assert (done.code, done.stdout) == (SIGPIPE, "hello\n")
    assert len((run.workspace / "n").read_text().splitlines()) < 50
    assert "Cancelled" not in done.stderr


def test_a_reader_that_has_read_all_is_no_trouble(run: CommandLine) -> None:
    done = run.shell("$onbook --help | head -1000 > /dev/null; exit $PIPESTATUS")
    assert (done.code, done.stderr) == (0, "")
