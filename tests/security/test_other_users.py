"""Other people on the same machine: what they can read of the records."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.e2e.conftest import Project
from tests.scripted import Reply

STEP = (
    '[[pipelines]]\nname = "p"\n[[pipelines.steps]]\nname = "s"\ntype = "once"\ncommand = "head -c 2000000 /dev/zero"\n'
)


@pytest.fixture
def busy(run: CommandLine, project: Project) -> Project:
    """A workspace that came with an open `.onbook/`, and in which everything was done that leaves a record."""
    (project.root / ".onbook" / "sessions").mkdir(parents=True, mode=0o755)
    (project.root / ".onbook" / "memory.jsonl").touch(mode=0o644)
    (project.root / "onbook.toml").write_text(STEP)
    project.script((("write_file", {"path": "sums.py", "content": "new"}),))
    project.server.replies(*[Reply("Well.")] * 3)
    run("--allow", "write", stdin="go\n/memory add the sky is blue\n/rag add .\n/script run p\n")
    run("trust")
    return project


@pytest.mark.threat("S120")
def test_nobody_else_gets_at_the_records_of_a_workspace(busy: Project) -> None:
    folder = busy.root / ".onbook"

    assert {"sessions", "audit", "undo", "journal.sqlite", "blobs"} <= {path.name for path in folder.iterdir()}
    assert list(reachable(folder)) == []


@pytest.mark.threat("S121")
def test_nobody_else_gets_at_what_onbook_remembers_of_its_user(busy: Project) -> None:
    folder = busy.home / "state"

    assert {"audit", "trust.json", "runs.txt"} <= {path.name for path in folder.iterdir()}
    assert list(reachable(folder)) == []


def reachable(path: Path) -> Iterator[Path]:
    """What somebody else can read or write from there on; behind a closed folder nothing is."""
    mode = path.lstat().st_mode
    if path.is_dir() and not mode & 0o011:
        return
    if mode & 0o066:
        yield path
    if path.is_dir():
        for name in os.listdir(path):
            yield from reachable(path / name)
