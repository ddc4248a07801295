"""A project whose pyproject.toml names pytest and ruff, somebody's edits in the middle of it, and `onbook workflow`."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from onbook.workflow.state.loading import Kept, look
from onbook.workflow.state.state import State
from tests.conftest import CommandLine, Finished
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import git
from tests.workflow.whole import DOCS, judges, makes, play, proposes

SETTINGS = """[tool.ruff]

[tool.pytest.ini_options]
pythonpath = ["."]
addopts = "-p no:cacheprovider"
"""
IGNORED = "__pycache__/\n.ruff_cache/\nmade.txt\n"
EDITS = {"README.md": "Somebody is in the middle of this.\n", "notes.txt": "mine\n", "draft.md": "mine, and staged\n"}
"""What the person has changed before, and nobody else may commit or lose."""
THROUGH = {"model": "default", "conventions": "skip", "spec": "proceed"}
"""Answers that lead to where the code is."""
_MAKERS = ("generator_single", "implementation_standard", "implementation")


@dataclass
class Project:
    """The folder, its cast, and the command line in it."""

    root: Path
    cast: Cast
    run: CommandLine

    def workflow(self, *words: str, **answers: str) -> Finished:
        """`onbook workflow …` with these answers, and no other."""
        return self.run("workflow", *words, *(f"--answer={gate}={choice}" for gate, choice in answers.items()))

    def plays(self, made: Sequence[str] = (), judged: Sequence[str] = (), proposed: str = "") -> None:
        """What the cast does, time after time; whoever is not named here does what they should. The verifier lies, so
        that what is said of a failure is what pytest and ruff have said themselves."""
        play(self.cast, DOCS)
        self.cast.plays("verify_layer1", Part("PASS — I see nothing wrong"))
        if made:
            for name in _MAKERS:
                self.cast.plays(name, *(makes(code, DOCS) for code in made))
        if judged:
            self.cast.plays("evaluator_prompt", *(judges(line, DOCS) for line in judged))
        if proposed:
            self.cast.plays("auto_fix_proposer", proposes(proposed))

    @property
    def state(self) -> State:
        found = look(self.root)
        assert isinstance(found, Kept), found
        return found.state

    @property
    def commits(self) -> list[tuple[str, list[str]]]:
        """Those of the branch, the latest first: subject and files."""
        told = git(self.root, "log", "--format=%x00%s", "--name-only", "harness/add-a-sum")
        return [
            (subject, files.split()) for subject, _, files in (each.partition("\n") for each in told.split("\0")[1:])
        ]

    @property
    def edits_status(self) -> str:
        """What git says of them."""
        return git(self.root, "status", "--porcelain", "--", *EDITS)

    @staticmethod
    def gate_left_open(waiting: Finished) -> str | None:
        """The gate at which a command waits, as it says itself."""
        found = re.search(r"waiting at the gate ([a-z-]+): ", waiting.stderr)
        return found[1] if found else None


@pytest.fixture(scope="session")
def begun_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One commit, and the edits after it."""
    root = tmp_path_factory.mktemp("begun")
    _write(root, {"README.md": "A sum.\n", "pyproject.toml": SETTINGS, ".gitignore": IGNORED})
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "Begin")):
        git(root, *words)
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    _write(root, EDITS)
    git(root, "add", "draft.md")
    return root


@pytest.fixture
def project(workspace: Path, begun_repository: Path, run: CommandLine, scripted_model: ScriptedServer) -> Project:
    """A project in a repository; pytest and ruff are those of this interpreter."""
    shutil.rmtree(workspace)
    shutil.copytree(begun_repository, workspace)
    run.env |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    found = Project(workspace, Cast(scripted_model), run)
    found.plays()
    return found


@pytest.fixture
def folder(project: Project) -> Project:
    """The same without git."""
    shutil.rmtree(project.root / ".git")
    (project.root / ".gitignore").unlink()
    return project


def _write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).write_text(text)
