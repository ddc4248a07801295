"""Gathers what the tests of this folder count, from all workers, and prints one table at the end.

`ledger.py` says how a test counts. With `ONBOOK_FAULTS_TABLE=benchmarks/results/faults` the table is kept, too.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.ledger import Ledger, packed, unpacked
from tests.faults.table import as_text, write

_ALL = pytest.StashKey[Ledger]()
_BEGAN = time.monotonic()
_TO_CONTROLLER = "faults"


@pytest.fixture
def ledger(request: pytest.FixtureRequest) -> Iterator[Ledger]:
    """Where this test counts. It fails when not everything was survived, or something was lost."""
    own = Ledger()
    yield own
    _take(request.config, own)
    unwell = [row for row in own.rows if not row.is_well]
    if unwell:
        pytest.fail("\n".join(as_text(unwell)), pytrace=False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands its rows over."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_TO_CONTROLLER] = packed(_gathered(session.config).rows)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """The controller of pytest-xdist takes them."""
    _take(node.config, Ledger(unpacked(getattr(node, "workeroutput", {}).get(_TO_CONTROLLER, ()))))


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    rows = _gathered(config).rows
    if not rows:
        return
    terminalreporter.section("faults")
    for line in as_text(rows):
        terminalreporter.write_line(line)
    if stem := os.environ.get("ONBOOK_FAULTS_TABLE"):
        write(Path(stem), rows, time.monotonic() - _BEGAN, exitstatus)


def _gathered(config: pytest.Config) -> Ledger:
    return config.stash.setdefault(_ALL, Ledger())


def _take(config: pytest.Config, ledger: Ledger) -> None:
    config.stash[_ALL] = Ledger((*_gathered(config).rows, *ledger.rows))
