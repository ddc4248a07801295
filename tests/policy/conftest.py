"""The things the tests of the door work with: a workspace with secrets around it, and a door into it."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit
from onbook.policy.door import Answer, Door
from onbook.policy.effects import Effect
from onbook.policy.grants import Grants
from onbook.policy.undo import Change

OUTSIDE = b"outside: never to be seen"


class Person:
    """Somebody who gives the same answer to every question, and remembers the questions."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[tuple[Effect, str]] = []

    async def ask(self, effect: Effect, reason: str, change: Change | None = None) -> Answer:
        self.asked.append((effect, reason))
        return self.answer


@pytest.fixture
def root(tmp_path: Path, project: Path) -> Path:
    """A workspace: a git repository with sources, secrets, links; and files outside that nobody may see."""
    shutil.copytree(project, tmp_path, symlinks=True, dirs_exist_ok=True)
    root = tmp_path / "project"
    (root / "out").symlink_to(tmp_path / "outside")
    return root


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder around such a workspace, made once and copied for each test."""
    around = tmp_path_factory.mktemp("around")
    root = around / "project"
    (root / "src").mkdir(parents=True)
    (root / "private").mkdir()
    (root / "src" / "app.py").write_bytes(b"print('hello')\n")
    (root / "notes.md").write_bytes(b"hello\n")
    (root / "list.txt").write_bytes(b"b\na\n")
    (root / ".env").write_bytes(b"KEY=swordfish\n")
    (root / "server.pem").write_bytes(b"swordfish\n")
    (root / "private" / "diary.txt").write_bytes(b"dear diary\n")
    outside = around / "outside"
    outside.mkdir()
    (outside / "file.txt").write_bytes(OUTSIDE)
    (root / "out.txt").symlink_to("../outside/file.txt")
    (root / "inside.md").symlink_to("src/../notes.md")
    (root / "sneaky.txt").symlink_to(".env")
    (root / "circle").symlink_to("circle")
    git = "git init -q --template= . && git add src notes.md && git -c user.name=a -c user.email=a@b.c commit -qm first"
    environ = {"PATH": os.environ["PATH"], "HOME": str(around), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(git, shell=True, cwd=root, check=True, env=environ)
    return around


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The user's state folder."""
    return tmp_path / "state"


DoorMaker = Callable[..., Door]


@pytest.fixture
def open_door(root: Path, state: Path) -> DoorMaker:
    """`open_door(safe_mode=False)`: a door with these rules; `asker`, `allow` and `say` go to the door itself."""

    def make(
        *,
        asker: Person | None = None,
        allow: frozenset[str] = frozenset(),
        say: Callable[[str], None] | None = None,
        **rules: object,
    ) -> Door:
        settings = PolicySettings(**({"sandbox": "off"} | rules))  # type: ignore[arg-type]
        audit = Audit(root, state)
        return Door(root, settings, audit=audit, asker=asker, allow=allow, grants=Grants(root, state), say=say)

    return make


@pytest.fixture
def door(open_door: DoorMaker) -> Door:
    """A door with the default rules and nobody to ask."""
    return open_door()
