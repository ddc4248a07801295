"""Loops as people run them: one line that watches a build, exit codes for scripts, and Ctrl-C at any moment."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually, write_script
from tests.scripted import Reply, ScriptedServer, Stall
from tests.terminal.conftest import See, Seen

AT_ONCE = 0.2
"""Seconds, on a machine that has nothing else to do."""
MARK = "31.41592"
"""A number of seconds to sleep that nobody else sleeps."""


@pytest.fixture
def build(workspace: Path) -> Path:
    """A build that breaks the third time."""
    path = workspace / "build"
    write_script(path, 'echo x >> n; [ $(wc -l < n) -ge 3 ] && echo "test_sums FAILED" && exit 1; echo "all passed"')
    return path


def test_a_build_is_watched_by_a_program(run: CommandLine, build: Path) -> None:
    done = run("loop", "100ms", "--until", "FAILED", "/run", "./build")
    assert (done.code, done.stdout) == (0, "all passed\nall passed\ntest_sums FAILED\n")
    lines = [line for line in done.stderr.splitlines() if "exit code" not in line]
    assert lines[0] == "Looping every 100ms, up to 10 times: /run ./build"
    assert lines[1] == 'Loop finished after 3 iteration(s) — "FAILED" matched'
    assert lines[2].startswith("onbook: recorded in ")


def test_a_build_is_watched_by_a_model(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("All is well."), Reply("It is BROKEN: test_sums fails."))
    done = run("loop", "100ms", "--until", "BROKEN", "Check the build and say BROKEN if it is")
    assert (done.code, done.stdout) == (0, "All is well.\nIt is BROKEN: test_sums fails.\n")
    assert [turn.reply for turn in run.turns()] == ["All is well.", "It is BROKEN: test_sums fails."]


def test_a_build_is_watched_in_a_session(see: See, scripted_model: ScriptedServer, build: Path) -> None:
    seen = see()
    seen.ready()
    seen.enter("/loop 200ms --until FAILED /run ./build")
    seen.until("Looping every 200ms, up to 10 times: /run ./build")
    seen.until('Loop finished after 3 iteration(s) — "FAILED" matched')
    assert seen.leave() == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--count", "2", "/run", "true"), 0, "Loop finished after 2 iteration(s)"),
        (("/exit",), 0, 'loop: stopping — "/exit" would exit onbook'),
        (("--count", "1", "--until", "x", "/run", "true"), 3, 'Loop finished after 1 iteration(s) — "x" never came'),
        (("--count", "2", "/run", "false"), 1, "Loop finished after 2 iteration(s) — every iteration failed"),
        (("--count", "101", "hello"), 2, "onbook: loop: --count must be an integer between 1 and 100"),
    ],
)
def test_every_way_to_end_has_its_exit_code(run: CommandLine, words: tuple[str, ...], code: int, said: str) -> None:
    done = run("loop", "100ms", *words)
    assert (done.code, done.stdout) == (code, "")
    assert said in done.stderr.splitlines()


@pytest.mark.parametrize("word", ["-m", "-mlab", "--model", "--model=lab", "--json", "-h"])
def test_options_of_onbook_after_the_interval_are_refused(run: CommandLine, word: str) -> None:
    done = run("loop", "1s", word, "lab", "--count", "1", "hello")
    assert (done.code, done.complaint) == (2, f"{word} goes before the interval; see onbook loop --help")


def test_a_prompt_may_begin_with_a_dash(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run("loop", "1s", "--count", "1", "--", "-m", "is", "what?")
    assert (done.code, done.stdout) == (0, "You said: -m is what?\n")


def test_the_usage_is_that_of_the_shell(run: CommandLine) -> None:
    done = run("loop", "1s")
    assert done.code == 2
    assert done.stderr.splitlines()[-1] == "onbook: Usage: onbook loop INTERVAL [--count N] PROMPT"


def test_a_script_reads_events(run: CommandLine) -> None:
    done = run("loop", "--json", "100ms", "--count", "2", "--until", "2", "/run", "sh", "-c", "echo x >> n; wc -l < n")
    kinds = [(event["type"], event.get("kind", "")) for event in done.events if event["type"] != "text.delta"]
    one = [("step.started", "round"), ("run.started", "command"), ("process.finished", ""), ("run.finished", "")]
    step = [*one, ("step.finished", "")]
    assert kinds[:-1] == [
        ("run.started", "command"),
        ("run.started", "loop"),
        *step,
        *step,
        ("note", ""),
        ("run.finished", ""),
        ("run.finished", ""),
    ]
    assert done.events[-3]["finish_reason"] == "until"
    assert done.events[-2]["exit_code"] == 0


def test_standard_input_is_no_part_of_a_loop(run: CommandLine) -> None:
    done = run("loop", "1s", "--count", "1", "/run", "cat", stdin="hello")
    assert (done.code, done.stdout) == (0, "")
    assert "onbook: standard input is not read by a loop" in done.stderr.splitlines()


@pytest.mark.parametrize("option", ["", "--on-change"])
def test_a_loop_that_nobody_can_hear_any_more_ends(run: CommandLine, option: str) -> None:
    done = run.shell(f"$onbook loop 100ms {option} /run echo hello > /dev/full")
    assert done.code == 1
    assert "Loop finished after 1 iteration(s) — cannot write the answer to standard output: " in done.stderr


def test_a_session_in_a_pipe_loops_too(run: CommandLine, scripted_model: ScriptedServer) -> None:
    done = run(stdin="/loop 100ms --count 2 what's up\n/exit\n")
    assert (done.code, done.stdout) == (0, "You said: what's up\nYou said: what's up\n")


def test_ctrl_c_ends_a_model_call(see: See, scripted_model: ScriptedServer, run: CommandLine) -> None:
    scripted_model.replies(Reply("fine"), Stall(after_chunks=3))
    seen = see()
    seen.ready()
    seen.enter("/loop 100ms hello")
    seen.until("The quick brown")
    _cancelled(seen, 1)
    assert scripted_model.wait_for_disconnect()
    seen.enter("again")
    seen.until("You said: again")
    assert [message["content"] for message in scripted_model.chats[-1].messages] == ["hello", "fine", "again"]
    assert seen.leave() == 0
    assert [turn.outcome for turn in run.turns()] == ["passed", "cancelled", "passed"]
    assert "(Cancelled. Loop stopped after 1/10 iteration(s).)" in run.transcripts[0].read_text()


def test_ctrl_c_ends_the_question_how_sure_a_model_is(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(Reply("It holds."), Stall(after_chunks=0))
    seen = see()
    seen.ready()
    seen.enter("/loop 1s --until-confidence 90% Does it hold?")
    seen.until(lambda: len(scripted_model.chats) == 2)
    _cancelled(seen, 0)
    assert scripted_model.wait_for_disconnect()
    assert seen.leave() == 0
    assert [turn.outcome for turn in run.turns()] == ["cancelled"]


def test_ctrl_c_ends_a_program_and_all_it_started(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter(f"/loop 1s /run sh -c 'sleep {MARK} & echo started; sleep {MARK}'")
    seen.until("started\n")
    assert _sleepers()
    _cancelled(seen, 0)
    assert not _sleepers()


def test_ctrl_c_ends_the_sleep_that_the_status_line_counts_down(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("/loop 90s /run echo once")
    seen.until(lambda: "iteration 2/10 in 1m2" in seen.status)
    _cancelled(seen, 1)
    assert seen.leave() == 0


def test_a_signal_ends_a_loop_without_a_terminal(run: CommandLine) -> None:
    process = run.start("loop", "1h", "/run", "sh", "-c", f"sleep {MARK}")
    eventually(_sleepers)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=10)
    assert process.returncode == 130
    said = [line for line in stderr.decode().splitlines() if not line.startswith("onbook: recorded in ")]
    assert said == [
        f"Looping every 1h, up to 10 times: /run sh -c 'sleep {MARK}'",
        "Cancelled. Loop stopped after 0/10 iteration(s).",
    ]
    assert not _sleepers()


def _cancelled(seen: Seen, finished: int) -> None:
    """Ctrl-C, and it is over at once, said in one line."""
    line = f"Cancelled. Loop stopped after {finished}/10 iteration(s)."
    began = time.monotonic()
    seen.send("\x03")
    seen.until(line)
    took = time.monotonic() - began
    seen.ready()
    assert took < AT_ONCE * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))
    assert seen.all.count("Cancelled.") == 1


def _sleepers() -> list[str]:
    """The processes that sleep our own number of seconds."""
    found = []
    for folder in Path("/proc").iterdir() if os.path.isdir("/proc/self") else ():
        try:
            command = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:
            continue
        if command == f"sleep\0{MARK}\0".encode():
            found.append(folder.name)
    return found
