"""Old runs make room, by age and by size, and nothing that is needed goes."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.flow.data import Data, Gathering, Small
from onbook.flow.spool import Spool
from onbook.journal.journal import open_journal
from onbook.journal.listing import list_runs
from onbook.journal.prune import prune
from onbook.journal.run import RunJournal
from onbook.outcome import Outcome
from tests.journal.conftest import KEY

Begin = Callable[..., RunJournal]
DAY = 86_400.0


def blobs(workspace: Path) -> list[Path]:
    return list((workspace / ".onbook" / "blobs").iterdir())


def age(workspace: Path, run: RunJournal, days: float) -> None:
    with open_journal(workspace) as journal:
        then = time.time() - days * DAY
        journal.database.execute("UPDATE runs SET began = ?, ended = ? WHERE id = ?", (then, then, run.id))


def kept(workspace: Path) -> list[str]:
    with open_journal(workspace) as journal:
        return [run.id for run in list_runs(journal.database)]


def large_output(workspace: Path, size: int) -> Data:
    gathering = Gathering(Spool(workspace))
    gathering.add(os.urandom(size))
    return gathering.data()


def ended(begin: Begin, output: Data | None = None) -> RunJournal:
    run = begin()
    run.done("a", KEY, Outcome.PASSED, output or Small(b"made"), 0.1)
    run.end(Outcome.PASSED)
    return run


def test_a_new_run_makes_those_of_a_month_ago_go_with_their_blobs(begin: Begin, large: Data, workspace: Path) -> None:
    old, young = ended(begin, large), ended(begin)
    age(workspace, old, 31)
    age(workspace, young, 29)
    assert len(blobs(workspace)) == 1
    new = begin()
    assert kept(workspace) == [new.id, young.id]
    assert blobs(workspace) == []
    with open_journal(workspace) as journal:
        assert journal.database.execute("SELECT count(*) FROM instances").fetchone() == (3,)


def test_a_blob_that_another_run_has_too_stays(begin: Begin, large: Data, workspace: Path) -> None:
    first, second = ended(begin, large), ended(begin, large)
    ended(begin)
    age(workspace, first, 31)
    with open_journal(workspace) as journal:
        assert prune(journal.database, journal.blobs) == [first.id]
        assert len(blobs(workspace)) == 1
        assert prune(journal.database, journal.blobs, older_than=0) == [second.id]
        assert blobs(workspace) == []


def test_the_oldest_go_until_the_rest_is_small_enough(begin: Begin, workspace: Path) -> None:
    first, second, third = (ended(begin, large_output(workspace, 2 << 20)) for _ in range(3))
    with open_journal(workspace) as journal:
        assert prune(journal.database, journal.blobs, larger_than=5 << 20) == [first.id]
    assert kept(workspace) == [third.id, second.id]
    assert len(blobs(workspace)) == 2


def test_the_latest_run_stays_however_old_and_large(begin: Begin, large: Data, workspace: Path) -> None:
    run = ended(begin, large)
    age(workspace, run, 400)
    with open_journal(workspace) as journal:
        assert prune(journal.database, journal.blobs, older_than=0, larger_than=0) == []


def test_a_run_that_is_still_going_on_stays(begin: Begin, workspace: Path) -> None:
    going_on = begin()
    ended(begin)
    latest = ended(begin)
    with open_journal(workspace) as journal:
        assert len(prune(journal.database, journal.blobs, older_than=0)) == 1
    assert kept(workspace) == [latest.id, going_on.id]


def test_blobs_that_nobody_speaks_of_go_once_nobody_can_be_writing_them(
    begin: Begin, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ended(begin, large_output(workspace, 2 << 20))
    (workspace / ".onbook" / "blobs" / ("0" * 32)).write_bytes(b"of a killed process")
    ended(begin)
    with open_journal(workspace) as journal:
        monkeypatch.setattr("onbook.journal.prune._BEING_WRITTEN", -1.0)
        assert prune(journal.database, journal.blobs, older_than=0) == [run.id]
    assert blobs(workspace) == []


def test_the_space_of_what_went_is_given_back(begin: Begin, workspace: Path) -> None:
    for _ in range(2):
        ended(begin, Small(os.urandom(1 << 20)))
    ended(begin)
    with open_journal(workspace) as journal:
        pages = journal.database.execute("PRAGMA page_count").fetchone()[0]
        prune(journal.database, journal.blobs, older_than=0)
        assert journal.database.execute("PRAGMA page_count").fetchone()[0] < pages / 10
