"""A workflow that is told to end (SIGTERM, SIGHUP, Ctrl-C) ends at once, and goes on to the same end.

What SIGKILL does to it is in `tests/faults/test_workflow_kills.py`.
"""

import random
import shutil
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from examples.workflow.cast import TASK, enter

from tests.faults.kills.theatre import Fate, Stage, check_end, count, stages
from tests.faults.ledger import LONG, Ledger, many
from tests.faults.stage import ANSWERS, CHECK, Left
from tests.faults.stage import Stage as Project
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast

pytestmark = [
    pytest.mark.timeout(900 if LONG else 120),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find what is left behind"),
]
MODE = "single"
CHECKS = (f"--test-cmd={CHECK}", "--lint-cmd=true")
BEGIN = ("workflow", TASK, *CHECKS, f"--answer=mode={MODE}", *(f"--answer={answer}" for answer in ANSWERS))
SIGNALS = {signal.SIGTERM: 10, signal.SIGHUP: 5, signal.SIGINT: 5}
"""How often each is sent in the long form."""


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        enter(Cast(server))
        yield server


@pytest.mark.parametrize("number", SIGNALS if LONG else [signal.SIGTERM], ids=lambda each: each.name)
def test_a_workflow_that_is_told_to_end_goes_on_to_the_same_end(
    number: signal.Signals, server: ScriptedServer, ledger: Ledger, tmp_path: Path
) -> None:
    chance = random.Random() if LONG else random.Random(8)
    coming = stages(tmp_path, server)
    undisturbed = _project(next(coming))
    began = time.monotonic()
    undisturbed.play([])
    seconds, struck = time.monotonic() - began, 0
    for stage in coming:
        fate = Fate(number, chance.uniform(0, seconds))
        struck += count(ledger, "workflow", fate, partial(_survives, stage, fate, undisturbed.left))
        if struck >= many(1, SIGNALS[number]):
            break


def _survives(stage: Stage, fate: Fate, wanted: Left) -> bool:
    """Whether it was really told to end: it may have been over by then."""
    project = _project(stage)
    done = stage.struck(BEGIN, fate)
    check_end(done, fate)
    stage.check_nobody_is_left()
    stage.check_records()
    project.play([])
    assert project.left == wanted, f"{fate}: {done.stderr}"
    stage.check_records()
    return done.code != 0


def _project(stage: Stage) -> Project:
    shutil.rmtree(stage.root)
    return Project(stage.root, stage.environment, MODE, CHECKS)
