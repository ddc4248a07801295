"""Real processes: limits, floods, stubborn children, and nothing left behind."""

import asyncio
import os
import resource
import sys
import time
from pathlib import Path

import pytest

from onbook.policy.door import Door
from onbook.policy.effects import Run
from onbook.policy.process import NotStarted, Ran, run_process
from tests.policy.conftest import DoorMaker


async def run(script: str, cwd: Path, *, timeout: float = 20, limit: int = 10_000, stdin: bytes = b"") -> Ran:
    environ = dict(os.environ)
    argv = ["/bin/sh", "-c", script]
    return await run_process(argv, cwd=cwd, environ=environ, timeout=timeout, output_limit=limit, stdin=stdin)


def lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


async def dies(file: Path) -> bool:
    """Whether the process whose number is in the file ends within a second."""
    pid = int(file.read_text())
    for _ in range(100):
        if not lives(pid):
            return True
        await asyncio.sleep(0.01)
    return False


async def test_output_and_errors_come_in_order_as_bytes(tmp_path: Path) -> None:
    ran = await run("printf 'a\\377'; printf b >&2; cat; exit 3", tmp_path, stdin=b"in")
    assert (ran.exit_code, ran.output, ran.truncated, ran.stopped) == (3, b"a\xffbin", False, "")


async def test_a_program_that_does_not_read_its_input_is_no_trouble(tmp_path: Path) -> None:
    assert (await run("exit 0", tmp_path, stdin=b"x" * 1_000_000)).exit_code == 0


async def test_without_input_a_program_finds_the_end_at_once(tmp_path: Path) -> None:
    assert (await run("cat", tmp_path)).output == b""


async def test_what_is_too_long_loses_its_middle_and_says_so(tmp_path: Path) -> None:
    ran = await run("echo first; seq 1 5000; echo last", tmp_path, limit=2000)
    assert ran.truncated
    assert ran.exit_code == 0
    assert ran.output.startswith(b"first\n1\n")
    assert ran.output.endswith(b"last\n")
    assert b"bytes left out" in ran.output
    assert len(ran.output) < 2100


async def test_a_flood_is_stopped_and_memory_stays_flat(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ran = await run("yes", tmp_path, limit=1_000_000)
    assert ran.truncated
    assert b"[stopped after" in ran.output
    assert ran.seconds < 15
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 30_000 * (1024 if sys.platform == "darwin" else 1)


async def test_a_program_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    ran = await run("echo begun; sleep 60", tmp_path, timeout=0.3)
    assert ran.stopped.startswith("stopped after")
    assert ran.output == b"begun\n\n[stopped after 0.3 s]\n"
    assert ran.exit_code == -15
    assert ran.seconds < 2


async def test_a_program_that_ignores_sigterm_is_killed_after_two_seconds(tmp_path: Path) -> None:
    ran = await run("trap '' TERM; echo $$ > pid; while :; do sleep 1; done", tmp_path, timeout=0.3)
    assert ran.exit_code == -9
    assert 2 <= ran.seconds < 5
    assert await dies(tmp_path / "pid")


async def test_what_a_program_leaves_in_the_background_ends_with_it(tmp_path: Path) -> None:
    ran = await run("sleep 60 & echo $! > pid; echo done", tmp_path)
    assert ran.output == b"done\n"
    assert ran.seconds < 5
    assert await dies(tmp_path / "pid")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the environment of other processes")
async def test_a_grandchild_with_a_session_of_its_own_ends_too(tmp_path: Path) -> None:
    ran = await run("setsid sh -c 'echo $$ > pid; sleep 60' & while [ ! -s pid ]; do sleep 0.05; done", tmp_path)
    assert ran.exit_code == 0
    assert await dies(tmp_path / "pid")


@pytest.mark.parametrize("steps", range(1, 9))
async def test_cancelling_in_the_middle_of_the_start_ends_what_was_started(tmp_path: Path, steps: int) -> None:
    """A program runs before asyncio has handed it over, some steps of the event loop later."""
    task = asyncio.create_task(run("sleep 60 & echo $! > child; wait", tmp_path))
    for _ in range(steps):
        await asyncio.sleep(0)
    until = time.monotonic() + 0.2
    while time.monotonic() < until and not (tmp_path / "child").exists():
        time.sleep(0.01)  # while the event loop stands still, the program does not
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    child = tmp_path / "child"
    assert not child.exists() or not child.read_text() or await dies(child)


async def test_cancelling_ends_the_whole_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onbook.policy.process.GRACE", 60.0)
    task = asyncio.create_task(run("sleep 60 & echo $! > child; echo $$ > pid; wait", tmp_path))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await asyncio.sleep(0.02)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 30
    assert await dies(tmp_path / "pid")
    assert await dies(tmp_path / "child")


async def test_cancelling_twice_does_not_wait_for_a_stubborn_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onbook.policy.process.GRACE", 60.0)
    task = asyncio.create_task(run("trap '' TERM; echo $$ > pid; while :; do sleep 1; done", tmp_path))
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.sleep(0.1)
    task.cancel()
    began = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 30
    assert await dies(tmp_path / "pid")


async def test_output_is_heard_as_it_comes(tmp_path: Path) -> None:
    heard: list[bytes] = []
    environ = dict(os.environ)
    argv = ["sh", "-c", "echo a; sleep 0.2; echo b"]
    await run_process(argv, cwd=tmp_path, environ=environ, timeout=9, output_limit=99, on_output=heard.append)
    assert heard == [b"a\n", b"b\n"]


async def test_errors_that_are_listened_to_apart_are_no_output(tmp_path: Path) -> None:
    heard: list[bytes] = []
    argv = ["/bin/sh", "-c", "echo out; echo err >&2"]
    ran = await run_process(
        argv, cwd=tmp_path, environ=dict(os.environ), timeout=20, output_limit=1000, on_errors=heard.append
    )
    assert (ran.output, b"".join(heard)) == (b"out\n", b"err\n")


async def test_errors_are_heard_to_the_end_of_a_program_that_closed_its_output_before(tmp_path: Path) -> None:
    heard: list[bytes] = []
    script = "import os, sys; os.close(1); sys.stderr.write('x' * 1_000_000)"
    await run_process(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        environ=dict(os.environ),
        timeout=20,
        output_limit=1000,
        on_errors=heard.append,
    )
    assert sum(map(len, heard)) == 1_000_000


async def test_a_listener_that_fails_ends_the_program(tmp_path: Path) -> None:
    def fail(_piece: bytes) -> None:
        raise ZeroDivisionError

    argv = ["sh", "-c", "echo $$ > pid; echo a; sleep 60"]
    with pytest.raises(ZeroDivisionError):
        await run_process(argv, cwd=tmp_path, environ=dict(os.environ), timeout=9, output_limit=99, on_output=fail)
    assert await dies(tmp_path / "pid")


async def test_a_listener_that_wants_no_more_ends_it_also_when_the_program_has_ended(tmp_path: Path) -> None:
    def leave(_piece: bytes) -> None:
        raise asyncio.CancelledError

    argv = ["sh", "-c", "echo a"]
    with pytest.raises(asyncio.CancelledError):
        await run_process(argv, cwd=tmp_path, environ=dict(os.environ), timeout=9, output_limit=99, on_output=leave)


async def test_a_program_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match="there is no program no-such-program"):
        await run_process(["no-such-program"], cwd=tmp_path, environ={}, timeout=1, output_limit=99)


async def test_no_keys_reach_a_child(open_door: DoorMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "swordfish-swordfish")
    monkeypatch.setenv("MY_TOKEN", "swordfish-swordfish")
    door: Door = open_door(programs=("env",))
    for by in ("user", "model"):
        ran = await door.run(Run(("env",)), by=by)
        assert b"PATH=" in ran.output
        assert b"swordfish" not in ran.output
