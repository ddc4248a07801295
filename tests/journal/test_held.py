"""A session keeps its journal open, so that its runs do not wait for the disk one by one."""

import sqlite3
from pathlib import Path

from onbook.flow.data import Small
from onbook.journal.held import Held
from onbook.journal.journal import Start
from onbook.journal.recording import new_run
from onbook.outcome import Outcome

START = Start(kind="pipeline", name="p", definition="d", steps=1)


def begin_and_end(root: Path, held: Held) -> None:
    with new_run(root, START, Small(b"x"), print) as run:
        assert run is not None
        held.hold(root)
        run.end(Outcome.PASSED)


def log_of(root: Path) -> Path:
    return root / ".onbook" / "journal.sqlite-wal"


def test_the_log_is_moved_into_the_file_at_the_end_of_the_session_and_not_of_each_run(tmp_path: Path) -> None:
    held = Held()
    begin_and_end(tmp_path, held)
    begin_and_end(tmp_path, held)
    assert log_of(tmp_path).exists()
    held.let_go()
    assert not log_of(tmp_path).exists()


def test_what_a_run_wrote_is_there_for_others_at_once(tmp_path: Path) -> None:
    held = Held()
    begin_and_end(tmp_path, held)
    with sqlite3.connect(tmp_path / ".onbook" / "journal.sqlite") as other:
        assert other.execute("SELECT outcome FROM runs").fetchall() == [("passed",)]
    held.let_go()


def test_without_a_journal_there_is_nothing_to_hold(tmp_path: Path) -> None:
    held = Held()
    held.hold(tmp_path)
    held.let_go()
    assert list(tmp_path.iterdir()) == []
