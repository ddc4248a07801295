"""onbook is killed while a program of its own runs: nothing of the program outlives it, nor does whoever saw to that.

Nothing is left to chance here: the signal comes when the program and its child are there.
"""

import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from onbook.policy.proc import standing_of
from tests.conftest import default_signals, eventually, write_script
from tests.faults.kills.theatre import Stage
from tests.scripted import ScriptedServer
from tests.warm import start_piped

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find a program's own")
PROGRAM = "sleep 600 & sleep 600"
TYPED = ("ask", f"/run sh -c '{PROGRAM}'")
SCRIPT = '[[pipelines]]\nname = "long"\n\n[[pipelines.steps]]\nname = "wait"\ncommand = "./wait.sh"\n'
AGENT = f'\n[workflow.agents]\nplanner = {{ command = ["sh", "-c", {json.dumps(PROGRAM)}] }}\n'
ANSWERED = ("--mode=single", "--model-config=default", "--answer=conventions=skip")


@pytest.fixture
def stage(tmp_path: Path, scripted_model: ScriptedServer) -> Iterator[Stage]:
    stage = Stage(tmp_path / "stage", scripted_model)
    yield stage
    stage.clear_away()


def _plant_a_script(stage: Stage) -> None:
    (stage.root / "onbook.toml").write_text(SCRIPT)
    write_script(stage.root / "wait.sh", PROGRAM)


def _seat_an_agent(stage: Stage) -> None:
    (stage.root / ".git").rmdir()
    stage.settings.write_text(stage.settings.read_text() + AGENT)


@pytest.mark.parametrize(
    ("words", "prepare"),
    [
        pytest.param(TYPED, lambda _: None, id="typed"),
        pytest.param(("script", "run", "long"), _plant_a_script, id="script"),
        pytest.param(("workflow", "Add a sum", *ANSWERED), _seat_an_agent, id="agent"),
    ],
)
def test_a_program_and_its_children_end_with_a_killed_onbook(
    stage: Stage, words: tuple[str, ...], prepare: Callable[[Stage], None]
) -> None:
    prepare(stage)
    with _in_the_middle_of(stage, words) as process:
        process.kill()
    stage.check_nobody_is_left()


def test_whoever_ends_the_programs_of_a_killed_onbook_ends_too(stage: Stage) -> None:
    with _in_the_middle_of(stage, TYPED) as process:
        children = _children(process.pid)
        process.kill()
    assert len(children) == 2
    eventually(lambda: all(_has_ended(pid) for pid in children))


def test_an_onbook_that_ends_in_good_order_leaves_no_guardian(stage: Stage) -> None:
    with _in_the_middle_of(stage, TYPED) as process:
        children = _children(process.pid)
        process.send_signal(signal.SIGTERM)
    assert len(children) == 2
    assert all(_has_ended(pid) for pid in children)


def test_nobody_watches_over_a_run_without_programs(stage: Stage) -> None:
    """It would cost every start something."""
    with default_signals():
        process = start_piped(("loop", "1h", "Hello"), stage.environment, stage.root, subprocess.DEVNULL)
    try:
        eventually(lambda: bool(stage.server.chats))
        assert _children(process.pid) == []
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _in_the_middle_of(stage: Stage, words: tuple[str, ...]) -> Iterator["subprocess.Popen[bytes]"]:
    """The command, its program and the child of that all there; afterwards, it has ended."""
    with default_signals():
        process = start_piped(words, stage.environment, stage.root, subprocess.DEVNULL)
    try:
        eventually(lambda: _count_sleeping(stage) == 2)
        yield process
        process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _count_sleeping(stage: Stage) -> int:
    return sum(_name(pid) == "sleep" for pid in stage.left_behind)


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:  # it has just ended
        return ""


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _has_ended(pid: int) -> bool:
    return standing_of(pid).letter == "Z"
