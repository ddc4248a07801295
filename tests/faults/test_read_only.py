"""Folders that cannot be written to, or are not there: each runner says so in a line, or goes on without a record."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.ledger import LONG, Ledger
from tests.faults.read_only import GONE, PLACES
from tests.faults.runners import ALL, SCRIPT, WORKFLOW, Runner
from tests.faults.small_disk import ALONE
from tests.flow.test_full_disk import can_mount
from tests.warm import ROOT

pytestmark = [
    pytest.mark.skipif(not can_mount(), reason="cannot mount a read-only folder here, and root may write anywhere"),
    pytest.mark.timeout(600),
]


@pytest.mark.parametrize("runner", ALL if LONG else (SCRIPT,), ids=str)
def test_a_folder_that_cannot_be_written_to_is_one_line(runner: Runner, ledger: Ledger, tmp_path: Path) -> None:
    places = [*PLACES, *GONE] if LONG and runner is not WORKFLOW else PLACES[:2]
    words = [sys.executable, "-m", "tests.faults.read_only", str(tmp_path / "disk"), runner.name, *places]
    got = subprocess.run([*ALONE, *words], cwd=ROOT, capture_output=True, text=True)
    tried = [json.loads(line) for line in got.stdout.splitlines()]
    wrong = [each for each in tried if each["wrong"]]
    ledger.tried(
        "read-only folder",
        runner.name,
        times=len(places),
        survived=len(tried) - len(wrong),
        lost=sum(each["lost"] for each in wrong),
    )
    assert not wrong, "\n".join(each["wrong"] for each in wrong)
    assert len(tried) == len(places), got.stderr
