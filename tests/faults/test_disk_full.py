"""A disk without room, under every runner and everything that is written: it is said, and with room again it goes on.

The disks are small ones in memory; `small_disk.py` says what happens on them.
"""

import random
from pathlib import Path

import pytest

from tests.faults.alone import try_alone
from tests.faults.ledger import LONG, Ledger
from tests.faults.runners import ALL, TOOL, WORKFLOW, Runner
from tests.flow.test_full_disk import can_mount

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
    try_alone(ledger, "disk full", runner, "small_disk", tmp_path / "disk", rooms)
