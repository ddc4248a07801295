"""A workflow on a real stage: a git repository, a state on disk, rules, gates, and agents on a scripted server."""

import hashlib
import shutil
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from onbook.events import Note
from onbook.workflow.agents.sending import open_agents
from onbook.workflow.answers import Gates, GivenAnswers
from onbook.workflow.files.snapshot import candidates, take_snapshot
from onbook.workflow.gates import check_answer
from onbook.workflow.messages import catalogue
from onbook.workflow.state.phase import Phase
from onbook.workflow.state.state import ModelConfig, State
from onbook.workflow.state.store import Store
from onbook.workflow.work import Work
from tests.commands.conftest import Typed
from tests.commands.conftest import typed as typed
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast

DOCS = "docs/harness/add-a-sum/"
SPEC = "# Spec\n\nThere is a function add(a, b).\n"
RUN = "4a4a4a4a"


@pytest.fixture(scope="session")
def first_commit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository with one commit, to begin with."""
    folder = tmp_path_factory.mktemp("first-commit")
    (folder / ".gitignore").write_text("__pycache__/\n.pytest_cache/\n.ruff_cache/\n")
    (folder / "README.md").write_text("A sum.\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "Begin")):
        git(folder, *words)
    return folder


@pytest.fixture
def repository(workspace: Path, first_commit: Path) -> Path:
    """The workspace as such a repository."""
    shutil.copytree(first_commit, workspace, dirs_exist_ok=True)
    return workspace


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    return subprocess.run(("git", *identity, *words), cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def cast(scripted_model: ScriptedServer) -> Cast:
    return Cast(scripted_model)


@dataclass
class Staged:
    """A workflow that has been set up; `begun` brings it to where a phase begins."""

    typed: Typed
    store: Store
    work: Work

    @property
    def state(self) -> State:
        return self.store.state

    @property
    def said(self) -> list[str]:
        """What the workflow itself has said so far."""
        return [note.text for note in self.typed.seen.of(Note) if note.run == RUN]

    async def begun(self, phase: Phase = "plan_ready", *answers: str, **fields: Any) -> Work:
        """The workflow at the beginning of a phase, as the machine would have brought it there; `answers` are those of
        `--answer`."""
        root = self.work.root
        (root / DOCS).mkdir(parents=True)
        self.store.create(State(task="Add a sum", docs_path=DOCS, slug="add-a-sum", repo_path=str(root)))
        commit = next((path.read_text().strip() for path in (root / ".git/refs/heads").glob("*")), None)
        base: dict[str, Any] = {"mode": "single", "model_config": ModelConfig(), "has_git": commit is not None}
        self.work.advance(phase="plan_ready", **(base | {"base_commit": commit} | fields))
        await take_snapshot(self.work, () if commit else await candidates(self.work))
        if phase != "plan_ready":
            self._go_to(phase)
        return self.answered(*answers)

    def answered(self, *answers: str) -> Work:
        """The same workflow, with these answers at its gates."""
        given = GivenAnswers(
            (check_answer(gate, choice), choice) for gate, _, choice in (a.partition("=") for a in answers)
        )
        work = self.work
        gates = Gates(work.live.emit, RUN, given, None)
        self.work = Work(work.live, RUN, work.store, gates, work.agents, work.words)
        return self.work

    def _go_to(self, phase: Phase) -> None:
        (self.work.root / DOCS / "spec.md").write_text(SPEC)
        way: tuple[Phase, ...] = ("plan_done", "generate_ready", "generating", "generate_done")
        for step in way[: way.index(phase) + 1]:
            approval = {"spec_sha256": hashlib.sha256(SPEC.encode()).hexdigest()} if step == "generate_ready" else {}
            self.work.advance(phase=step, **approval)


@pytest_asyncio.fixture
async def staged(repository: Path, typed: Typed) -> AsyncIterator[Staged]:
    """A workflow of the repository."""
    with Store.open(repository) as store:
        gates = Gates(typed.live.emit, RUN, GivenAnswers(), None)
        work = Work(typed.live, RUN, store, gates, await open_agents(typed.live), catalogue("en"))
        yield Staged(typed, store, work)
