"""`onbook init`: a workspace that works from its first minute, and never at the cost of somebody's file."""

import os
from pathlib import Path

import pytest

from tests.conftest import CommandLine

FILES = ("onbook.toml", "scripts/detect-files.sh", "scripts/git-context.py")


def test_what_it_writes_is_good_and_its_pipeline_runs(run: CommandLine, workspace: Path) -> None:
    done = run("init")
    assert done.code == 0
    assert done.stdout.splitlines() == [str(workspace / name) for name in FILES]
    (workspace / "login.txt").write_text("where the login is\n")
    assert run("config", "check").stderr == ""
    ran = run("script", "run", "context", "--input", "fix the login")
    assert ran.code == 0
    assert ran.stdout == "fix the login\n\nFiles that may matter:\n./login.txt\n"


def test_its_scripts_can_be_executed_and_its_settings_cannot(run: CommandLine, workspace: Path) -> None:
    run("init")
    assert [os.access(workspace / name, os.X_OK) for name in FILES] == [False, True, True]


def test_what_it_wrote_is_trusted_until_it_changes(run: CommandLine, workspace: Path) -> None:
    run("init")
    assert '"pipeline":"context"' in run("config", "show").stdout
    with (workspace / "onbook.toml").open("a") as settings:
        settings.write("# mine\n")
    assert "left out the pipeline of role developer" in run("config", "check").stderr


@pytest.mark.parametrize("there", FILES)
def test_nothing_is_overwritten_and_nothing_else_is_written_then(run: CommandLine, workspace: Path, there: str) -> None:
    (workspace / there).parent.mkdir(exist_ok=True)
    (workspace / there).write_text("")
    done = run("init")
    assert (done.code, done.complaint) == (2, f"{workspace} has {there} already; nothing was written")
    assert [name for name in FILES if (workspace / name).exists()] == [there]
    assert (workspace / there).read_text() == ""


def test_a_planted_link_is_not_followed(run: CommandLine, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (workspace / "scripts").symlink_to(tmp_path / "outside")
    done = run("init")
    assert done.code == 2
    assert "leads out of the workspace" in done.complaint
    assert list((tmp_path / "outside").iterdir()) == []
