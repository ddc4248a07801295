"""A workflow that is killed (SIGKILL) and started again with the same answers ends the same: artefacts, commits, edits.

Among the ordinary tests one is killed again and again. `ONBOOK_KILLS=100 pytest tests/faults` is the whole: after every
state that is written, before every file is whole, and at 100 random instants, with real pytest and ruff.
"""

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from examples.workflow.cast import RIGHT, enter

from tests.faults.stage import CHECK, EDITS, Bullet, Stage
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast

KILLS = int(os.environ.get("ONBOOK_KILLS", "0"))
MODE = "standard" if KILLS else "single"
CHECKS = () if KILLS else (f"--test-cmd={CHECK}", "--lint-cmd=true")

pytestmark = pytest.mark.timeout(7200 if KILLS else 120)
whole = pytest.mark.skipif(not KILLS, reason="takes minutes: set ONBOOK_KILLS=100")


@dataclass
class House:
    """Where all of it is played: stages to begin with, and what is left of one that nobody disturbed."""

    folder: Path
    environment: dict[str, str]

    def __post_init__(self) -> None:
        self._numbers = count()
        stage, began = self.stage(), time.monotonic()
        self.states = stage.count("state")
        self.seconds = time.monotonic() - began
        self.undisturbed = stage.left

    def stage(self) -> Stage:
        return Stage(self.folder / str(next(self._numbers)) / "play", self.environment, MODE, CHECKS)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("kills")
    home = folder / "home"
    home.mkdir()
    with ScriptedServer() as server:
        enter(Cast(server))
        route = f'name = "cast"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        (home / "onbook.toml").write_text(f'model = "cast"\n\n[[routes]]\n{route}\n')
        folders = {f"ONBOOK_{kind}_DIR": str(home) for kind in ("CONFIG", "CACHE", "STATE")}
        kept = {name: value for name, value in os.environ.items() if name.startswith("COV")}
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        yield House(folder, kept | folders | {"HOME": str(home), "LANG": "C.UTF-8", "PATH": path})


Figure = Callable[[str], None]


@pytest.fixture
def figure(capsys: pytest.CaptureFixture[str]) -> Figure:
    """Says how many kills it was, past what pytest captures."""

    def said(line: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{line}, and it ended the same each time\n")

    return said


def test_the_undisturbed_one_does_all_there_is(house: House) -> None:
    """What the others are compared with: one commit, the mended code, and the person's edits as they were."""
    left = house.undisturbed
    assert [subject for subject, _ in left.commits] == ["Read a play", "Count the lines of each character"]
    assert left.commits[-1][1]["play.py"] == RIGHT
    assert {name: left.files[name] for name in EDITS} == EDITS
    assert left.status == " M README.md\nA  draft.md\n?? notes.txt\n"


def test_killed_again_and_again_it_ends_the_same(house: House) -> None:
    chance = random.Random(7)
    stage = house.stage()
    stage.play(Bullet(states=chance.randint(6, 9)) if turn % 2 else Bullet(files=12) for turn in range(house.states))
    assert stage.kills >= 3
    assert stage.left == house.undisturbed


@whole
def test_killed_after_any_state_write_it_ends_the_same(house: House, figure: Figure) -> None:
    for number in range(1, house.states + 1):
        stage = house.stage()
        stage.play([Bullet(states=number)])
        assert (stage.kills, stage.left) == (1, house.undisturbed), f"after state {number} of {house.states}"
    figure(f"killed after each of {house.states} state writes")


@whole
def test_killed_before_any_file_is_whole_it_ends_the_same(house: House, figure: Figure) -> None:
    files, kills = house.stage().count("file"), 0
    for number in range(1, files + 1):
        stage = house.stage()
        stage.play([Bullet(files=number)])
        kills += stage.kills
        assert stage.left == house.undisturbed, f"before file {number} of {files}"
    figure(f"killed {kills} times before a file was whole")


@whole
def test_killed_at_a_random_instant_it_ends_the_same(house: House, figure: Figure) -> None:
    chance = random.Random()
    kills = 0
    while kills < KILLS:
        instant = chance.uniform(0, house.seconds)
        stage = house.stage()
        stage.play([Bullet(seconds=instant)])
        kills += stage.kills
        assert stage.left == house.undisturbed, f"after {instant:.3f} s of {house.seconds:.3f} s"
    figure(f"killed at {kills} random instants of {house.seconds:.1f} s")
