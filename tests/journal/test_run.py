"""A run in the journal: written at once, known again, and never in the way of the work."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onbook.flow.data import Data, Small, from_descriptor, from_journal
from onbook.flow.spool import Spool
from onbook.journal.errors import NotResumable
from onbook.journal.journal import Start, open_journal
from onbook.journal.keys import digest, instance_key
from onbook.journal.listing import find_run, instances_of
from onbook.journal.reading import all_runs, one_run
from onbook.journal.run import CONFIDENCE, RunJournal
from onbook.outcome import Outcome
from tests.conftest import CommandLine
from tests.journal.conftest import KEY, LARGE

Begin = Callable[..., RunJournal]


def test_what_passed_is_known_again_and_what_failed_runs_again(begin: Begin) -> None:
    run = begin()
    run.done("a", KEY, Outcome.PASSED, Small(b"made\0\xff"), 0.1)
    run.done("b", KEY, Outcome.FAILED, None, 0.1, error="b: exit code 1")
    run.end(Outcome.FAILED)
    again = begin(again=run.id)
    known = again.known("a", KEY)
    assert known is not None
    assert from_journal(known).read() == b"made\0\xff"
    assert from_journal(known).identity == Small(b"made\0\xff").identity
    assert again.known("b", KEY) is None
    assert again.known("c", KEY) is None
    assert (again.reused, again.changed) == (1, {})


def test_a_run_that_goes_on_has_the_input_it_was_given(begin: Begin) -> None:
    run = begin(Small(b"the input"))
    run.end(Outcome.CANCELLED)
    assert from_journal(begin(again=run.id).given).read() == b"the input"


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (instance_key(digest(b"another"), digest(b"script"), "input", "role"), "definition"),
        (instance_key(digest(b"definition"), digest(b"another"), "input", "role"), "script"),
        (instance_key(digest(b"definition"), digest(b"script"), "another", "role"), "input"),
        (instance_key(digest(b"another"), digest(b"script"), "input", "another"), "definition and input"),
    ],
)
def test_a_changed_key_says_what_changed(begin: Begin, now: bytes, words: str) -> None:
    run = begin()
    key = instance_key(digest(b"definition"), digest(b"script"), "input", "role")
    run.done("a", key, Outcome.PASSED, Small(b""), 0.1)
    run.end(Outcome.FAILED)
    again = begin(again=run.id)
    assert again.known("a", now) is None
    assert again.changed == {"a": words}


def test_what_a_key_is_made_of_has_the_names_that_its_actor_gives(begin: Begin) -> None:
    run = begin()
    old, new = (instance_key(digest(b"d"), digest(b"text") + digest(model), "i", "") for model in (b"one", b"two"))
    run.done("a", old, Outcome.PASSED, Small(b""), 0.1)
    run.done("b", KEY, Outcome.PASSED, Small(b""), 0.1)
    run.end(Outcome.FAILED)
    again = begin(again=run.id)
    assert again.known("a", new, ("file", "model")) is None
    assert again.known("b", new, ("file", "model")) is None
    assert again.changed == {"a": "model", "b": "definition"}


def test_what_was_not_enough_is_known_again_as_soon_as_it_is(begin: Begin, workspace: Path) -> None:
    run = begin()
    run.done("a", KEY, Outcome.BELOW_THRESHOLD, Small(b"said"), 0.1, error="below", remark="0.5")
    run.end(Outcome.BELOW_THRESHOLD)
    again = begin(again=run.id)
    assert again.known("a", KEY, is_enough=lambda remark: float(remark) > 0.8) is None
    assert (again.reused, again.changed) == (0, {"a": CONFIDENCE})
    known = again.known("a", KEY, is_enough=lambda remark: float(remark) > 0.3)
    assert known is not None
    assert (from_journal(known).read(), known.remark, again.reused) == (b"said", "0.5", 1)
    again.end(Outcome.PASSED)
    (instance,) = one_run(workspace, run.id)[1]
    assert (instance.outcome, instance.error) == ("passed", "")


def test_a_run_says_how_it_was_called_without_keys(begin: Begin, workspace: Path) -> None:
    start = Start(kind="prompts", name="a.md", definition="", steps=1, call=f"--var key=sk-ant-{'a1B2' * 12}")
    begin(start=start).end(Outcome.FAILED)
    (run,) = all_runs(workspace)
    assert run.call.startswith("--var key=")
    assert "a1B2a1B2" not in run.call


def test_an_instance_that_ran_twice_is_known_as_it_was_last(begin: Begin) -> None:
    run = begin()
    run.done("a", KEY, Outcome.PASSED, Small(b"old"), 0.1)
    run.end(Outcome.FAILED)
    second = begin(again=run.id)
    second.done("a", b"x" * 48, Outcome.PASSED, Small(b"new"), 0.1)
    second.end(Outcome.FAILED)
    third = begin(again=run.id)
    assert third.known("a", KEY) is None
    known = third.known("a", b"x" * 48)
    assert known is not None
    assert from_journal(known).read() == b"new"


def test_a_large_output_is_a_private_file_taken_over_without_a_copy(begin: Begin, large: Data, workspace: Path) -> None:
    run = begin()
    descriptor = large.open()
    run.done("a", KEY, Outcome.PASSED, large, 0.1)
    run.done("b", KEY, Outcome.PASSED, large, 0.1)
    run.end(Outcome.FAILED)
    (blob,) = (workspace / ".onbook" / "blobs").iterdir()
    assert blob.stat().st_mode & 0o777 == 0o600
    assert blob.stat().st_ino == os.fstat(descriptor).st_ino
    os.close(descriptor)
    again = begin(again=run.id)
    for address in "ab":
        known = again.known(address, KEY)
        assert known is not None
        assert from_journal(known).read() == LARGE
        assert from_journal(known).identity == large.identity


def test_a_blob_that_is_gone_or_cut_short_means_that_the_step_runs_again(
    begin: Begin, large: Data, workspace: Path
) -> None:
    run = begin()
    run.done("a", KEY, Outcome.PASSED, large, 0.1)
    run.end(Outcome.FAILED)
    (blob,) = (workspace / ".onbook" / "blobs").iterdir()
    os.truncate(blob, 10)
    again = begin(again=run.id)
    assert again.known("a", KEY) is None
    assert again.changed == {"a": "output"}
    again.done("a", KEY, Outcome.PASSED, large, 0.1)
    again.end(Outcome.PASSED)


def test_a_blob_that_was_cut_short_is_written_anew(begin: Begin, large: Data, workspace: Path) -> None:
    folder = workspace / ".onbook" / "blobs"
    run = begin()
    folder.mkdir()
    (folder / large.identity).write_bytes(b"of a killed process")
    run.done("a", KEY, Outcome.PASSED, large, 0.1)
    assert (folder / large.identity).read_bytes() == LARGE


def test_a_link_in_place_of_a_blob_is_not_followed(begin: Begin, large: Data, workspace: Path, tmp_path: Path) -> None:
    run = begin()
    run.done("a", KEY, Outcome.PASSED, large, 0.1)
    run.end(Outcome.FAILED)
    (blob,) = (workspace / ".onbook" / "blobs").iterdir()
    (tmp_path / "planted").write_bytes(LARGE)
    blob.unlink()
    blob.symlink_to(tmp_path / "planted")
    assert begin(again=run.id).known("a", KEY) is None


def test_a_link_in_place_of_the_folder_is_refused_and_the_run_goes_on(
    begin: Begin, large: Data, workspace: Path, tmp_path: Path, said: list[str]
) -> None:
    run = begin()
    (tmp_path / "elsewhere").mkdir()
    (workspace / ".onbook" / "blobs").symlink_to(tmp_path / "elsewhere")
    run.done("a", KEY, Outcome.PASSED, large, 0.1)
    run.done("b", KEY, Outcome.PASSED, Small(b""), 0.1)
    (line,) = said
    assert line.endswith(
        "is a link or no folder; remove it and try again; the run goes on, and is not recorded from here"
    )
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_large_file_of_the_users_is_remembered_where_it_is(begin: Begin, workspace: Path) -> None:
    file = workspace / "big.txt"
    file.write_bytes(LARGE)
    with file.open("rb") as opened:
        data = from_descriptor(opened.fileno(), Spool(workspace))
    run = begin(data)
    run.end(Outcome.FAILED)
    assert not (workspace / ".onbook" / "blobs").exists()
    again = begin(again=run.id)
    assert from_journal(again.given).identity == data.identity
    assert from_journal(again.given).read() == LARGE
    again.end(Outcome.FAILED)
    file.write_bytes(LARGE.upper())
    with pytest.raises(NotResumable, match=r"big\.txt is gone or has changed since; start it anew"):
        _ = begin(again=run.id).given


def test_a_run_of_a_living_process_cannot_be_resumed(begin: Begin) -> None:
    run = begin()
    with pytest.raises(NotResumable, match=f"run {run.id} is still going on \\(process {os.getpid()}\\)"):
        begin(again=run.id)


def test_a_process_with_the_number_of_a_dead_one_is_not_taken_for_it(begin: Begin, workspace: Path) -> None:
    run = begin()
    with open_journal(workspace) as journal:
        journal.database.execute("UPDATE runs SET process = ?", (f"{os.getpid()} 12345@another-boot",))
    assert begin(again=run.id).id == run.id


def test_a_run_that_ends_with_an_exception_is_not_going_on_any_more(begin: Begin, workspace: Path) -> None:
    from onbook.journal.recording import old_run

    run = begin()
    run.end(Outcome.FAILED)
    with pytest.raises(ZeroDivisionError), old_run(workspace, run.id, print, definition="", steps=2):
        raise ZeroDivisionError("by zero")
    with open_journal(workspace) as journal:
        found = find_run(journal.database, run.id)
    assert (found.outcome, found.error) == ("failed", "by zero")


def test_keys_are_left_out_of_errors_and_names_and_stay_in_data(begin: Begin, workspace: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 6
    run = begin()
    run.done("a", KEY, Outcome.FAILED, None, 0.1, error=f"a: refused {secret}")
    run.done("b", KEY, Outcome.PASSED, Small(secret.encode()), 0.1)
    run.end(Outcome.FAILED, f"a: refused {secret}")
    with open_journal(workspace) as journal:
        found = find_run(journal.database, run.id)
        first, _ = instances_of(journal.database, found)
    assert found.error == first.error == "a: refused [redacted]"
    known = begin(again=run.id).known("b", KEY)
    assert known is not None
    assert from_journal(known).read() == secret.encode()


def test_a_full_disk_is_one_line_and_the_run_goes_on(run: CommandLine, workspace: Path) -> None:
    """The limit on file sizes stands for the full disk: SQLite and the blobs meet it in the same way."""
    script = """
import resource, sys
from pathlib import Path
from onbook.flow.data import Small
from onbook.journal.recording import new_run
from onbook.outcome import Outcome
from tests.journal.conftest import KEY, START
with new_run(Path(sys.argv[1]), START, Small(b"given"), print) as run:
    run.done("a", KEY, Outcome.PASSED, Small(b"small"), 0.1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    for number in range(100):
        run.done(f"b[{number}]", KEY, Outcome.PASSED, Small(bytes(100_000)), 0.1)
    run.end(Outcome.PASSED)
print("went on")
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(workspace)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    line, last = done.stdout.splitlines()
    assert line.startswith(".onbook/journal.sqlite cannot be written: the disk is full or broken (")
    assert line.endswith("); the run goes on, and is not recorded from here")
    assert (last, done.stderr, done.returncode) == ("went on", "", 0)
    shown = run("runs", "show")
    assert shown.stderr == ""
    assert "lint: passed" in shown.stdout
    assert "✓ a" in shown.stdout


def test_where_no_journal_can_be_written_that_is_said_and_there_is_none(workspace: Path, said: list[str]) -> None:
    from onbook.journal.recording import new_run
    from tests.journal.conftest import START

    (workspace / ".onbook").mkdir()
    (workspace / ".onbook" / "journal.sqlite").symlink_to("/etc/hostname")
    with new_run(workspace, START, Small(b""), said.append) as run:
        assert run is None
    (line,) = said
    assert line.endswith(
        "journal.sqlite is a link, and databases are not written through links; remove it; the run is not recorded"
    )


@settings(max_examples=30)
@given(st.dictionaries(st.text(min_size=1), st.binary(max_size=100), max_size=8))
def test_whatever_an_address_is_made_of_its_output_comes_back(outputs: dict[str, bytes]) -> None:
    import tempfile

    from onbook.journal.recording import new_run, old_run
    from tests.journal.conftest import START

    with tempfile.TemporaryDirectory() as folder:
        with new_run(Path(folder), START, Small(b""), print) as run:
            assert run is not None
            for address, content in outputs.items():
                run.done(address, KEY, Outcome.PASSED, Small(content), 0.0)
            run.end(Outcome.FAILED)
        with old_run(Path(folder), run.id, print, definition="", steps=2) as again:
            for address, content in outputs.items():
                known = again.known(address, KEY)
                assert known is not None
                assert from_journal(known).read() == content
