"""Folders that cannot be written to, or are not there: each runner says so in a line, or goes on without a record."""

from pathlib import Path

import pytest

from tests.faults.alone import try_alone
from tests.faults.ledger import LONG, Ledger
from tests.faults.read_only import GONE, PLACES
from tests.faults.runners import ALL, SCRIPT, WORKFLOW, Runner
from tests.flow.test_full_disk import can_mount

pytestmark = [
    pytest.mark.skipif(not can_mount(), reason="cannot mount a read-only folder here, and root may write anywhere"),
    pytest.mark.timeout(600),
]


@pytest.mark.parametrize("runner", ALL if LONG else (SCRIPT,), ids=str)
def test_a_folder_that_cannot_be_written_to_is_one_line(runner: Runner, ledger: Ledger, tmp_path: Path) -> None:
    places = [*PLACES, *GONE] if LONG and runner is not WORKFLOW else PLACES[:2]
    try_alone(ledger, "read-only folder", runner, "read_only", tmp_path / "disk", places)
