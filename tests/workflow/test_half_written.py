"""What a kill in the middle of writing leaves behind: never taken for somebody's work, and cleared away at the end."""

import os
from pathlib import Path

import pytest

from onbook.policy.hands import write_bytes
from onbook.policy.names import is_half_written
from onbook.workflow.files.snapshot import changed_since_start
from onbook.workflow.finish.cleanup import finish
from onbook.workflow.setup.output_folder import folder_for
from onbook.workspace.files import write_atomic
from tests.workflow.ending import committed, completed
from tests.workflow.staging import DOCS, Staged
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

NAME = ".onbook-0123456789abcdef.tmp"


def left_by_a_kill(folder: Path) -> Path:
    path = folder / NAME
    path.write_text("def ad")
    os.utime(path, (0, 0))
    return path


async def test_it_is_never_committed_and_goes_at_the_end(staged: Staged) -> None:
    work = await completed(staged, "commit=all")
    left = [left_by_a_kill(work.root), left_by_a_kill(work.root / DOCS)]
    assert await changed_since_start(work) == ("calc.py",)
    await finish(work)
    assert not any(NAME in path for path in committed(work.root))
    assert not any(path.exists() for path in left)


async def test_it_goes_where_git_ignores_the_results_too(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    (work.root / ".git/info/exclude").write_text("docs/\n")
    left = left_by_a_kill(work.root / DOCS)
    await finish(work)
    assert not left.exists()


async def test_what_somebody_writes_at_this_moment_stays(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    (work.root / NAME).write_text("def ad")
    await finish(work)
    assert (work.root / NAME).exists()
    assert committed(work.root) == ["calc.py"]


def test_a_folder_with_nothing_else_in_it_is_still_free(workspace: Path) -> None:
    (workspace / DOCS).mkdir(parents=True)
    left_by_a_kill(workspace / DOCS)
    assert folder_for(workspace, "docs/harness", "add-a-sum", "Add a sum") == ("add-a-sum", DOCS)


def test_it_is_known_by_the_names_that_writing_really_uses(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for gone in ("rename", "replace", "unlink"):
        monkeypatch.setattr(os, gone, killed)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(workspace, ("x",), b"")
    with pytest.raises(KeyboardInterrupt):
        write_atomic(workspace / "y", b"")
    left = [path.name for path in workspace.iterdir() if path.is_file()]
    assert len(left) == 2
    assert all(is_half_written(name) for name in left)
