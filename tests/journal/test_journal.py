"""The file itself: several processes at once, damage, files that others made."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.flow.data import Small
from onbook.journal.errors import Damaged, JournalError, NoSuchRun
from onbook.journal.journal import open_journal
from onbook.journal.listing import find_run, instances_of, list_runs
from onbook.journal.reading import all_runs, one_run
from onbook.journal.recording import new_run
from onbook.journal.run import RunJournal
from onbook.outcome import Outcome
from tests.journal.conftest import KEY, START

Begin = Callable[..., RunJournal]

WRITER = """
import os, sys
from pathlib import Path
from onbook.flow.data import Small
from onbook.journal.recording import new_run
from onbook.outcome import Outcome
from tests.journal.conftest import KEY, START
with new_run(Path(sys.argv[1]), START, Small(b"given"), print) as run:
    print(run.id, flush=True)
    for number in range(int(sys.argv[2])):
        run.done(f"each[{number}]", KEY, Outcome.PASSED, Small(b"made"), 0.0)
    if sys.argv[3] == "wait":
        print("written", flush=True)
        sys.stdin.read()
    run.end(Outcome.PASSED)
"""


def start_writer(workspace: Path, count: int, then: str = "end") -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(workspace), str(count), then]
    where = Path(__file__).parents[2]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=where)


def test_several_processes_write_at_once_and_nothing_is_lost(workspace: Path) -> None:
    writers = [start_writer(workspace, 2_000) for _ in range(3)]
    said = [writer.communicate(timeout=60)[0].split() for writer in writers]
    assert [len(words) for words in said] == [1, 1, 1]  # the id, and no complaint
    with open_journal(workspace) as journal:
        assert [run.instances for run in list_runs(journal.database)] == [2_000] * 3
        for (run,) in said:
            found = instances_of(journal.database, find_run(journal.database, run))
            assert [each.address for each in found] == [f"each[{number}]" for number in range(2_000)]


def test_after_a_sigkill_everything_that_was_written_is_there(workspace: Path) -> None:
    writer = start_writer(workspace, 500, "wait")
    assert writer.stdout is not None
    run = writer.stdout.readline().strip()
    assert writer.stdout.readline() == "written\n"
    with open_journal(workspace) as journal:
        assert find_run(journal.database, run).outcome == "running"
    writer.send_signal(signal.SIGKILL)
    writer.communicate(timeout=10)
    with open_journal(workspace) as journal:
        found = find_run(journal.database, run)
    assert (found.outcome, found.instances) == ("interrupted", 500)


@pytest.mark.parametrize("content", [b"not a database, " * 1_000, b"SQLite format 3\0" + bytes(5_000)])
def test_a_damaged_journal_is_set_aside_with_one_line_and_a_new_one_begins(
    workspace: Path, said: list[str], content: bytes
) -> None:
    path = workspace / ".onbook" / "journal.sqlite"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(Damaged), open_journal(workspace):
        pass
    with new_run(workspace, START, Small(b""), said.append) as run:
        assert run is not None
    (line,) = said
    assert line.startswith(".onbook/journal.sqlite is damaged (")
    (aside,) = path.parent.glob("journal.sqlite.damaged-*[0-9]")
    assert f"it is kept as .onbook/{aside.name}, and a new one begins" in line
    assert aside.read_bytes() == content


def test_a_journal_that_would_run_something_by_itself_counts_as_damaged(begin: Begin, workspace: Path) -> None:
    begin().end(Outcome.PASSED)
    with sqlite3.connect(workspace / ".onbook" / "journal.sqlite") as database:
        database.execute("CREATE TRIGGER planted AFTER INSERT ON runs BEGIN DELETE FROM runs; END")
    with pytest.raises(Damaged, match="it holds something else"), open_journal(workspace):
        pass


@pytest.mark.parametrize(
    "planted",
    [
        *("runs SET started = 'x'", "runs SET started = 1e300", "runs SET name = x'ff'", "runs SET process = x'ff'"),
        *("instances SET seconds = 'x'", "instances SET address = x'fe'", "instances SET finished = 9e999"),
    ],
)
def test_values_that_onbook_never_wrote_are_one_line(begin: Begin, workspace: Path, planted: str) -> None:
    run = begin()
    run.done("a", KEY, Outcome.PASSED, Small(b"1"), 0.1)
    run.end(Outcome.FAILED)
    with open_journal(workspace) as journal:
        journal.database.execute(f"UPDATE {planted}")
    with pytest.raises(JournalError, match="holds values that onbook never wrote; move it away to begin anew"):
        one_run(workspace, "latest")


def test_a_journal_of_a_newer_onbook_is_left_alone(workspace: Path, said: list[str]) -> None:
    with open_journal(workspace) as journal:
        journal.database.execute("PRAGMA user_version = 99")
    with pytest.raises(JournalError, match="made by a newer onbook"), open_journal(workspace):
        pass
    with new_run(workspace, START, Small(b""), said.append) as run:
        assert run is None
    assert said == [
        ".onbook/journal.sqlite was made by a newer onbook (version 99); use that one; the run is not recorded"
    ]


def test_a_journal_of_an_older_onbook_is_set_aside(workspace: Path, said: list[str]) -> None:
    with open_journal(workspace) as journal:
        journal.database.execute("ALTER TABLE runs DROP COLUMN call")
        journal.database.execute("PRAGMA user_version = 1")
    with new_run(workspace, START, Small(b""), said.append) as run:
        assert run is not None
    assert said[0].startswith(".onbook/journal.sqlite is damaged (it is of an older onbook); it is kept as ")


def test_the_journal_is_for_the_user_alone(begin: Begin, workspace: Path) -> None:
    begin()
    for path in (workspace / ".onbook").glob("journal.sqlite*"):
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_run_is_found_by_its_id_by_its_beginning_and_as_the_latest(begin: Begin, workspace: Path) -> None:
    first, second = begin(), begin()
    with open_journal(workspace) as journal:
        assert find_run(journal.database, first.id).id == first.id
        assert find_run(journal.database, first.id[:7]).id == first.id
        assert find_run(journal.database, "latest").id == second.id
        for wanted in ("", "%", "_", "zzzz", "' OR 1"):
            with pytest.raises(NoSuchRun, match="no run"):
                find_run(journal.database, wanted)


def test_a_run_whose_id_is_taken_is_not_recorded_and_the_journal_stays(workspace: Path, said: list[str]) -> None:
    with new_run(workspace, START, Small(b""), said.append, "abcd1234"):
        pass
    with new_run(workspace, START, Small(b""), said.append, "abcd1234") as second:
        assert second is None
    assert said == ["another run is called abcd1234 already; the run is not recorded"]
    assert [run.id for run in all_runs(workspace)] == ["abcd1234"]


def test_a_beginning_that_two_runs_share_is_ambiguous(begin: Begin, workspace: Path) -> None:
    runs = [begin() for _ in range(2)]
    with open_journal(workspace) as journal:
        for number, run in enumerate(runs):
            journal.database.execute("UPDATE runs SET id = ? WHERE id = ?", (f"abc{number}", run.id))
        with pytest.raises(NoSuchRun, match='run "abc" is ambiguous: abc1, abc0'):
            find_run(journal.database, "abc")


def test_steps_come_before_what_is_inside_them_and_items_in_their_order(begin: Begin, workspace: Path) -> None:
    run = begin()
    for address in ("one", "two/each[10]/a", "two/each[10]/b", "two/each[10]", "two/each[9]/a", "two/each[9]", "two"):
        run.done(address, KEY, Outcome.PASSED, Small(b""), 0.0)
    with open_journal(workspace) as journal:
        found = instances_of(journal.database, find_run(journal.database, run.id))
        totals = find_run(journal.database, run.id)
    inside = ["two/each[9]", "two/each[9]/a", "two/each[10]", "two/each[10]/a", "two/each[10]/b"]
    assert [each.address for each in found] == ["one", "two", *inside]
    assert (totals.steps_done, totals.steps, totals.instances) == (2, 2, 7)
