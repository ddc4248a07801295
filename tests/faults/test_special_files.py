"""A pipe, a device, a socket, a folder or a link that leads nowhere where a file is expected: nothing waits for it or
reads it without end. It is one line, or it does not matter; and when it is gone, the same command succeeds."""

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from onbook.transcript.turns import Turn
from tests.conftest import Finished
from tests.faults.ledger import LONG, Ledger, kept, long_form
from tests.faults.runners import ALL, BEFORE, NOTES, TOOL, WORKFLOW, House, Runner
from tests.faults.small_disk import staged
from tests.faults.special import HARNESS, KINDS, NAMED, OWN, in_place_of

CODES = (0, 1, 2, 3)
"""It does not matter, or it is said: as what cannot be done, as a mistake in the workspace, or a check that fails."""
SETTINGS = "home/config/onbook.toml"

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="there are other devices here, and no /proc"),
    pytest.mark.timeout(600),
]


@pytest.mark.parametrize("runner", [each for each in ALL if each is not WORKFLOW] if LONG else [TOOL], ids=str)
def test_nobody_waits_for_what_is_no_file(runner: Runner, ledger: Ledger, tmp_path: Path) -> None:
    with staged(runner, tmp_path) as house:
        before = _recorded_before(house)
        files = {path: path.read_bytes() for path in (house.root / ".onbook/memory.jsonl", tmp_path / SETTINGS)}
        for place, kind in _everywhere() if LONG else [("notes.md", "pipe")]:
            with ledger.trial("special file", runner.name), in_place_of(_path(house.root, place), kind):
                _check_said(house.begin(), f"{kind} in place of {place}")
            for path, content in files.items():  # so that the same can be done again
                path.write_bytes(content)
        _check_over(house, house.begin(), before)


@long_form
@pytest.mark.parametrize("place", [*NAMED, *HARNESS])
def test_a_workflow_does_not_wait_either(place: str, ledger: Ledger, tmp_path: Path) -> None:
    with staged(WORKFLOW, tmp_path) as house, ledger.trial("special file", "workflow"):
        before = _recorded_before(house)
        with in_place_of(_path(house.root, place), "pipe"):
            got = house.begin()
        _check_said(got, f"a pipe in place of {place}")
        _check_over(house, got if got.code == 0 else house.go_on(), before)


def test_a_pipe_in_a_folder_without_git_is_passed_over_by_a_workflow(ledger: Ledger, tmp_path: Path) -> None:
    with staged(WORKFLOW, tmp_path) as house, ledger.trial("special file", "workflow without git"):
        subprocess.run(["rm", "-rf", house.root / ".git"], check=True)
        os.mkfifo(house.root / "p")
        got = house.begin()
        _check_said(got, "a pipe")
        assert got.code == 0, got.stderr
        assert (house.root / "p").is_fifo()


def _everywhere() -> Iterator[tuple[str, str]]:
    """A pipe in every place, and the other kinds in turn."""
    places = (*NAMED, *OWN)
    yield from ((place, "pipe") for place in places)
    yield from zip(places, cycle(kind for kind in KINDS if kind != "pipe"), strict=False)


def _recorded_before(house: House) -> tuple[list[Turn], list[str]]:
    house.run((), lines=f"{BEFORE}\n/memory add it was so before\n")
    return house.turns, house.memory


def _check_over(house: House, again: Finished, before: tuple[list[Turn], list[str]]) -> None:
    """When it is gone, all is well, and all that was there before is still there."""
    assert again.code == 0, f"when it is gone: {again.stderr}"
    house.check_records()
    turns, memory = before
    kept(all(turn in house.turns for turn in turns) and house.memory[:1] == memory, "what was recorded before")
    kept((house.root / "notes.md").read_text() == NOTES, "notes.md")


def _path(root: Path, place: str) -> Path:
    return Path(os.path.normpath(root / place))


def _check_said(got: Finished, where: str) -> None:
    assert got.code in CODES, f"{where}: exit code {got.code}: {got.stderr}"
    assert "Traceback" not in got.stderr, f"{where}: {got.stderr}"
    assert "internal error" not in got.stderr, f"{where}: {got.stderr}"
