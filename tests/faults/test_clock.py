"""Somebody turns the clock on the wall, by hours, back and forth, while work is going on: nothing hangs, nothing is cut
short, and what is on record stays in order.

The clock is turned with every question that reaches the model (a script turns it itself), for onbook and all that it
starts; see `clock.c`.
"""

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import pytest

from onbook.journal.reading import all_runs
from tests.conftest import write_script
from tests.faults.ledger import LONG, Ledger, kept, many
from tests.faults.runners import LOOP, ROLE, SCRIPT, WITH_MODEL, WORKFLOW, House, Runner
from tests.scripted import Answer, Reply, ScriptedServer
from tests.warm import ROOT

HOURS = (-5 * 3600, 30 * 24 * 3600, 0, 7 * 3600, -7 * 3600)
LONGEST = 40.0
"""Seconds: on a machine that does much else."""
BUDGET = Runner("a budget of seconds", ("ask", "--budget", "seconds=60", "Is all well?"))
RUNNERS = (*WITH_MODEL, SCRIPT, BUDGET)

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the clock is turned as on Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


@dataclass
class Clock:
    """The clock that a House goes by."""

    path: Path
    library: Path

    def __post_init__(self) -> None:
        self._turns = cycle(HOURS)

    def turn(self, reply: Reply) -> Answer:
        """Turned while somebody waits for this reply."""
        self.path.write_text(str(next(self._turns)))
        return reply

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "WALL_CLOCK": str(self.path), "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clock") / "clock.so"
    source = Path(__file__).with_name("clock.c")
    done = subprocess.run(["cc", "-shared", "-fPIC", "-o", made, source, "-ldl"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture
def clock(tmp_path: Path, library: Path) -> Clock:
    path = tmp_path / "turned"
    path.write_text("0")
    return Clock(path, library)


def test_the_clock_can_be_turned(clock: Clock) -> None:
    clock.path.write_text(str(-5 * 3600))
    said = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"], env=clock.environment, capture_output=True, text=True
    )
    assert abs(float(said.stdout) - time.time() + 5 * 3600) < 60


@pytest.mark.parametrize("runner", RUNNERS if LONG else (LOOP, ROLE), ids=str)
def test_a_clock_that_is_turned_changes_nothing(
    runner: Runner,
    clock: Clock,
    workspace: Path,
    environment: dict[str, str],
    scripted_model: ScriptedServer,
    ledger: Ledger,
) -> None:
    house = House(runner, workspace, environment, scripted_model)
    house.environment |= clock.environment
    house.trouble = clock.turn
    write_script(workspace / "scripts/read.sh", f"echo {HOURS[0]} > {clock.path}; cat; echo more")
    for _ in range(1 if runner is WORKFLOW else many(1, 3)):
        with ledger.trial("clock turned by hours", runner.name):
            began, before = time.monotonic(), len(house.turns)
            got = house.begin()
            assert got.code == 0, got.stderr
            assert time.monotonic() - began < LONGEST
            house.check_records()
            kept(len(house.turns) > before or runner in (SCRIPT, WORKFLOW), "a turn")
            assert all(run.outcome == "passed" and 0 <= run.seconds < LONGEST for run in all_runs(workspace))
