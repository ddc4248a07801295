"""A workflow that is killed (SIGKILL) and started again with the same answers ends the same: artefacts, commits, edits.

Among the ordinary tests one is killed again and again. The long form is the whole: after every state that is written,
before every other file is whole, and at 100 random instants, with real pytest and ruff. It is cut in shares, so that
several workers have something to do.
"""

import os
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from examples.workflow.cast import RIGHT, enter

from tests.faults.ledger import LONG, Ledger, kept, long_form
from tests.faults.stage import CHECK, EDITS, Bullet, Stage
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast

MODE = "standard" if LONG else "single"
CHECKS = () if LONG else (f"--test-cmd={CHECK}", "--lint-cmd=true")
SHARES = 10
INSTANTS = 100

pytestmark = pytest.mark.timeout(600)
in_shares = pytest.mark.parametrize("share", range(SHARES))


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

    def plays(self, bullet: Bullet) -> int:
        """One more, killed once; how often it was."""
        stage = self.stage()
        stage.play([bullet])
        kept(stage.left == self.undisturbed, f"something of a workflow that met {bullet}")
        return stage.kills


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
        kept_names = {name: value for name, value in os.environ.items() if name.startswith("COV")}
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        quick = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the plugins of these tests are nothing to the project's
        yield House(folder, kept_names | folders | quick | {"HOME": str(home), "LANG": "C.UTF-8", "PATH": path})


def test_the_undisturbed_one_does_all_there_is(house: House) -> None:
    """What the others are compared with: one commit, the mended code, and the person's edits as they were."""
    left = house.undisturbed
    assert [subject for subject, _ in left.commits] == ["Read a play", "Count the lines of each character"]
    assert left.commits[-1][1]["play.py"] == RIGHT
    assert {name: left.files[name] for name in EDITS} == EDITS
    assert left.status == " M README.md\nA  draft.md\n?? notes.txt\n"


def test_killed_again_and_again_it_ends_the_same(house: House, ledger: Ledger) -> None:
    chance = random.Random(7)
    stage = house.stage()
    with ledger.trial("SIGKILL, again and again", "workflow"):
        stage.play(
            Bullet(states=chance.randint(6, 9)) if turn % 2 else Bullet(files=12) for turn in range(house.states)
        )
        assert stage.kills >= 3
        kept(stage.left == house.undisturbed, "something of a workflow that was killed again and again")


@long_form
@in_shares
def test_killed_after_any_state_write_it_ends_the_same(house: House, ledger: Ledger, share: int) -> None:
    for number in range(1 + share, house.states + 1, SHARES):
        with ledger.trial("SIGKILL after a state write", "workflow"):
            assert house.plays(Bullet(states=number)) == 1


@long_form
@in_shares
def test_killed_before_any_file_is_whole_it_ends_the_same(house: House, ledger: Ledger, share: int) -> None:
    """Every other file, the odd or the even ones by chance: all of them would take a minute more."""
    files = range(random.choice((1, 2)), house.stage().count("file") + 1, 2)
    for number in files[share::SHARES]:
        with ledger.trial("SIGKILL before a file is whole", "workflow"):
            assert house.plays(Bullet(files=number)) == 1


@long_form
@in_shares
def test_killed_at_a_random_instant_it_ends_the_same(house: House, ledger: Ledger, share: int) -> None:
    chance, kills = random.Random(), 0
    while kills < INSTANTS // SHARES:
        with ledger.trial("SIGKILL at a random instant", "workflow"):
            kills += house.plays(Bullet(seconds=chance.uniform(0, house.seconds)))
