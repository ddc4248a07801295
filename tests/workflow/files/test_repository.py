"""git as the workflow uses it: real repositories, branches, edits, worktrees, and no git at all."""

import os
from pathlib import Path

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.workflow.files.repository import GitFailed, Repository
from onbook.workflow.files.snapshot import candidates, changed_since_start, take_snapshot
from tests.commands.conftest import typed as typed
from tests.workflow.staging import Staged, git
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged


def of(root: Path) -> Repository:
    return Repository(Door(root, PolicySettings(), audit=Audit(root, root / ".onbook" / "state"), environ=os.environ))


def commit(root: Path, name: str, text: str = "x\n") -> str:
    (root / name).write_text(text)
    git(root, "add", name)
    git(root, "commit", "-q", "-m", name)
    return git(root, "rev-parse", "HEAD").strip()


async def test_a_folder_without_a_repository_is_not_one(tmp_path: Path) -> None:
    assert not await of(tmp_path).is_here()


async def test_git_is_not_sent_to_a_pipe_that_it_would_wait_for(repository: Path) -> None:
    (repository / ".gitignore").unlink()
    os.mkfifo(repository / ".gitignore")
    with pytest.raises(GitFailed, match=r"\.gitignore is a pipe, for which it would wait; remove it"):
        await of(repository).is_here()


async def test_a_git_that_is_not_there_is_no_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    assert not await of(repository).is_here()


async def test_the_inside_of_git_itself_is_no_work_tree(repository: Path) -> None:
    assert not await of(repository / ".git").is_here()


async def test_a_repository_before_its_first_commit_has_no_head(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "new.txt").write_text("x")
    here = of(tmp_path)
    assert (await here.is_here(), await here.head()) == (True, None)
    assert "new.txt" in await here.changed_since(None)
    assert await here.take_branch("x") == "harness/x"


async def test_every_kind_of_edit_is_a_change(repository: Path) -> None:
    for name in ("kept", "edited", "staged", "deleted", "old name"):
        commit(repository, name)
    base = await of(repository).head()
    (repository / "edited").write_text("y\n")
    (repository / "staged").write_text("y\n")
    git(repository, "add", "staged")
    (repository / "deleted").unlink()
    git(repository, "mv", "old name", "new name")
    (repository / "größe\n1").write_text("x")
    (repository / "__pycache__").mkdir()
    (repository / "__pycache__" / "ignored.pyc").write_text("x")
    committed = commit(repository, "committed since")
    assert committed != base
    found = await of(repository).changed_since(base)
    expected = {"edited", "staged", "deleted", "old name", "new name", "größe\n1", "committed since"}
    assert set(found) == expected


async def test_in_a_folder_of_a_repository_paths_begin_at_that_folder(repository: Path) -> None:
    inner = repository / "app"
    inner.mkdir()
    commit(repository, "app/a.py")
    (inner / "a.py").write_text("y\n")
    (inner / "b.py").write_text("y\n")
    (repository / "README.md").write_text("not of this folder\n")
    here = of(inner)
    assert set(await here.changed_since(await here.head())) == {"a.py", "b.py"}


async def test_a_new_branch_begins_here_and_takes_the_edits_along(repository: Path) -> None:
    (repository / "README.md").write_text("edited\n")
    assert await of(repository).take_branch("add-login") == "harness/add-login"
    assert git(repository, "branch", "--show-current").strip() == "harness/add-login"
    assert (repository / "README.md").read_text() == "edited\n"


async def test_a_branch_without_commits_of_its_own_is_used_again(repository: Path) -> None:
    git(repository, "branch", "harness/x")
    head = commit(repository, "later")
    assert await of(repository).take_branch("x") == "harness/x"
    assert git(repository, "rev-parse", "harness/x").strip() == head


async def test_a_branch_with_commits_of_its_own_is_left_alone(repository: Path) -> None:
    main = git(repository, "branch", "--show-current").strip()
    for name in ("harness/x", "harness/x-2"):
        git(repository, "checkout", "-q", "-b", name, main)
        commit(repository, name.replace("/", "-"))
    git(repository, "checkout", "-q", main)
    assert await of(repository).take_branch("x") == "harness/x-3"


async def test_taking_the_branch_again_after_a_kill_stays_on_it(repository: Path) -> None:
    assert [await of(repository).take_branch("x") for _ in range(2)] == ["harness/x"] * 2


async def test_a_finished_branch_that_is_checked_out_is_left_alone_by_the_next_workflow(repository: Path) -> None:
    here = of(repository)
    await here.take_branch("x")
    commit(repository, "finished")
    assert await here.take_branch("x") == "harness/x-2"


async def test_the_branch_that_a_workflow_has_begun_stays_its_own(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    commit(repository, "on-no-branch")
    here = of(repository)
    branch = await here.take_branch("x")
    assert await here.take_branch("x", begun=branch) == branch


async def test_a_branch_of_another_worktree_is_left_alone(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "harness/x", str(tmp_path / "other"))
    assert await of(repository).take_branch("x") == "harness/x-2"


async def test_a_branch_that_git_cannot_make_is_told_in_its_words(repository: Path) -> None:
    git(repository, "branch", "harness")
    with pytest.raises(GitFailed, match=r"^git could not make the branch harness/x: .*harness"):
        await of(repository).take_branch("x")


@pytest.mark.parametrize("how", ["git", "no git"])
async def test_changed_is_what_differs_from_the_start(staged: Staged, how: str) -> None:
    root = staged.work.root
    commit(root, "committed.py")
    for name in ("mine.py", "both.py", "gone.py"):
        (root / name).write_text("before\n")
    if how == "no git":
        (root / ".git").rename(root.parent / "git-is-away")
    work = await staged.begun()
    await take_snapshot(work, await candidates(work))
    assert await changed_since_start(work) == ()
    (root / "both.py").write_text("after!\n")
    (root / "committed.py").unlink()
    (root / "gone.py").unlink()
    (root / "new.py").write_text("x\n")
    (root / "link").symlink_to("new.py")
    (work.path("changes.md")).write_text("of the workflow itself")
    assert await changed_since_start(work) == ("both.py", "committed.py", "gone.py", "link", "new.py")
