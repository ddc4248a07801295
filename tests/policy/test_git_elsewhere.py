"""A `.git` that leads out of the workspace: what git itself made works, a pointer to another repository does not."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit
from onbook.policy.door import Denied, Door
from onbook.policy.effects import Run

Opened = Callable[[Path], Door]


@pytest.fixture
def opened(state: Path) -> Opened:
    """A door into any folder."""
    return lambda folder: Door(folder, PolicySettings(sandbox="off"), audit=Audit(folder, state))


async def test_a_worktree_is_read(root: Path, tmp_path: Path, opened: Opened) -> None:
    _git(root, "worktree", "add", "-q", "../tree")
    assert b"first" in await _log(opened(tmp_path / "tree"))


@pytest.mark.parametrize("absolute", [True, False])
async def test_a_submodule_is_read(root: Path, opened: Opened, absolute: bool) -> None:  # noqa: FBT001
    _git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./.git", "part")
    if absolute:
        (root / "part" / ".git").write_text(f"gitdir: {root}/.git/modules/part\n")
    assert b"first" in await _log(opened(root / "part"))


@pytest.mark.parametrize(
    "way", ["gitdir: {}\n", "gitdir: ../project/.git\n", "link", "gitdir: ../project/.git/modules\n"]
)
async def test_a_repository_that_is_another_is_not_read(root: Path, tmp_path: Path, opened: Opened, way: str) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    if way == "link":
        (archive / ".git").symlink_to(root / ".git")
    else:
        (archive / ".git").write_text(way.format(root / ".git"))

    with pytest.raises(Denied, match=r"\.git leads to a repository outside the workspace"):
        await _log(opened(archive))


async def test_a_worktree_of_somebody_else_is_not_read(root: Path, tmp_path: Path, opened: Opened) -> None:
    _git(root, "worktree", "add", "-q", "../tree")
    archive = tmp_path / "archive"
    archive.mkdir()
    shutil.copy(tmp_path / "tree" / ".git", archive / ".git")

    with pytest.raises(Denied, match="outside the workspace"):
        await _log(opened(archive))


async def test_a_circle_is_one_clear_line(tmp_path: Path, opened: Opened) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / ".git").symlink_to(".git")

    with pytest.raises(Denied):
        await _log(opened(archive))


async def _log(door: Door) -> bytes:
    return (await door.run(Run(("git", "log")), by="model", only_known=True)).output


def _git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, env={"PATH": os.environ["PATH"], "HOME": str(root.parent)})
