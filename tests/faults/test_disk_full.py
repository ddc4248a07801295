"""A disk without room, under every runner and everything that is written: it is said, and with room again it goes on.

The disks are small ones in memory; `small_disk.py` says what happens on them.
"""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.ledger import LONG, Ledger
from tests.faults.runners import ALL, TOOL, WORKFLOW, Runner
from tests.faults.small_disk import ALONE
from tests.flow.test_full_disk import can_mount
from tests.warm import ROOT

MOST_ROOM = 200_000
"""Bytes: everything that a runner writes here fits into them."""

pytestmark = [
    pytest.mark.skipif(not can_mount(), reason="cannot mount a small disk here"),
    pytest.mark.timeout(600),
]


@pytest.mark.parametrize("runner", ALL if LONG else (TOOL,), ids=str)
def test_nothing_is_lost_on_a_full_disk_and_with_room_it_goes_on(
    runner: Runner, ledger: Ledger, tmp_path: Path
) -> None:
    count = (3 if runner is WORKFLOW else 7) if LONG else 0
    rooms = [0, *(random.randrange(4096, MOST_ROOM) for _ in range(count))]
    words = [sys.executable, "-m", "tests.faults.small_disk", str(tmp_path / "disk"), runner.name, *map(str, rooms)]
    got = subprocess.run([*ALONE, *words], cwd=ROOT, capture_output=True, text=True)
    tried = [json.loads(line) for line in got.stdout.splitlines()]
    wrong = [each for each in tried if each["wrong"]]
    ledger.tried(
        "disk full",
        runner.name,
        times=len(rooms),
        survived=len(tried) - len(wrong),
        lost=sum(each["lost"] for each in wrong),
    )
    assert not wrong, "\n".join(each["wrong"] for each in wrong)
    assert len(tried) == len(rooms), got.stderr
