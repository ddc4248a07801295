"""The ledger itself: what it counts, and that a row that is not well fails the run, whoever ran the test."""

import json
from pathlib import Path

import pytest

from tests.faults.ledger import Ledger, Lost, Row, kept, long_form
from tests.faults.table import as_text, write
from tests.warm import ROOT

pytest_plugins = ["pytester"]

CONFTEST = "from tests.faults.conftest import *\nfrom tests.faults.conftest import ledger\n"


def test_tries_of_one_fault_are_one_row() -> None:
    ledger = Ledger()
    ledger.tried("disk full", "ask", survived=True)
    ledger.tried("disk full", "ask", times=10, survived=9, lost=1)
    assert ledger.rows == [Row("disk full", "ask", 11, 10, 1)]


def test_a_trial_counts_however_it_ends() -> None:
    ledger = Ledger()
    with ledger.trial("kill", "ask"):
        pass
    with pytest.raises(AssertionError), ledger.trial("kill", "ask"):
        raise AssertionError
    with pytest.raises(Lost), ledger.trial("kill", "ask"):
        kept([], "the turns")
    assert ledger.rows == [Row("kill", "ask", 3, 1, 1)]


def test_a_row_that_is_not_well_is_marked() -> None:
    assert as_text([Row("kill", "ask", 3, 3, 0), Row("kill", "loop", 1_200, 1_199, 0)]) == [
        "fault  what was going on  tried  survived  lost",
        "kill   ask                    3         3     0",
        "kill   loop               1,200     1,199     0  ✗",
        "all                       1,203     1,202     0",
    ]


def test_the_table_is_kept_for_people_and_for_programs(tmp_path: Path) -> None:
    write(tmp_path / "results" / "faults", [Row("kill", "ask", 3, 3, 0)], 12.3, 0)
    kept_rows = json.loads((tmp_path / "results" / "faults.json").read_text())
    assert (kept_rows["seconds"], kept_rows["passed"]) == (12, True)
    assert kept_rows["rows"] == [{"fault": "kill", "what": "ask", "tried": 3, "survived": 3, "lost": 0}]
    assert "| kill | ask | 3 | 3 | 0 |\n" in (tmp_path / "results" / "faults.md").read_text()


@long_form
def test_rows_of_all_workers_are_in_one_table_and_a_bad_one_fails(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("ONBOOK_FAULTS_TABLE", raising=False)
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(4))
        def test_it(ledger, number):
            ledger.tried("kill", "ask", survived=number != 3)
        """
    )
    got = pytester.runpytest_subprocess("-n", "2", "-p", "no:cacheprovider")
    got.stdout.fnmatch_lines(["kill *ask *4 *3 *0  ✗"])
    assert got.ret == 1
