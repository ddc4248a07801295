"""Trials in a process that has a disk of its own: what it tells of each of them, into the ledger."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.faults.ledger import Ledger
from tests.faults.runners import Runner
from tests.faults.small_disk import ALONE
from tests.warm import ROOT


def try_alone(ledger: Ledger, fault: str, runner: Runner, module: str, disk: Path, trials: Sequence[object]) -> None:
    """`python -m tests.faults.MODULE DISK RUNNER TRIAL…` prints a line for each trial: what was wrong, and whether
    something was lost."""
    words = [sys.executable, "-m", f"tests.faults.{module}", str(disk), runner.name, *map(str, trials)]
    got = subprocess.run([*ALONE, *words], cwd=ROOT, capture_output=True, text=True)
    tried = [json.loads(line) for line in got.stdout.splitlines()]
    wrong = [each for each in tried if each["wrong"]]
    ledger.tried(
        fault,
        runner.name,
        times=len(trials),
        survived=len(tried) - len(wrong),
        lost=sum(each["lost"] for each in wrong),
    )
    assert not wrong, "\n".join(each["wrong"] for each in wrong)
    assert len(tried) == len(trials), got.stderr
