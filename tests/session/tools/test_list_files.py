"""Listings of folders, and what a glob means."""

import shutil
import subprocess
from pathlib import Path

import pytest

from onbook.config.patterns import glob_pattern
from tests.session.tools.conftest import Bench


async def test_a_folder_is_listed_without_what_git_ignores(bench: Bench, workspace: Path) -> None:
    shutil.rmtree(workspace / ".git")
    subprocess.run(["git", "init", "-q"], cwd=workspace, check=True)
    (workspace / ".gitignore").write_text("*.log\n")
    (workspace / "src").mkdir()
    for name in ("a.py", "b.log", "src/c.py", ".env"):
        (workspace / name).write_text("x\n")
    assert (await bench("list_files")).splitlines() == [
        ".env (holds keys; not readable)",
        ".gitignore (6 bytes)",
        "a.py (2 bytes)",
        "src/",
        "[1 that git ignores left out]",
    ]
    assert await bench("list_files", glob="*.py") == "a.py (2 bytes)\nsrc/c.py (2 bytes)"
    assert await bench("list_files", path="src", glob="*.py") == "src/c.py (2 bytes)"
    assert await bench("list_files", glob="*.rs") == "[no file fits *.rs]"


async def test_a_long_listing_says_how_much_more_there_is(bench: Bench, workspace: Path) -> None:
    for number in range(450):
        (workspace / f"{number:03}.txt").touch()
    lines = (await bench("list_files", glob="*.txt")).splitlines()
    assert len(lines) == 401
    assert lines[-1] == "[50 more: name a folder below or a glob]"


@pytest.mark.parametrize(
    ("glob", "fitting", "others"),
    [
        ("*.py", ["a.py", "x/y/a.py"], ["a.pyc", "py"]),
        ("src/*.py", ["src/a.py"], ["a.py", "src/x/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/x/y/a.py"], ["a.py", "lib/src/a.py"]),
        ("**", ["a", "x/y"], []),
        ("docs/", ["docs/a", "docs/x/y"], ["docs"]),
        ("a[1]?.(x)", ["a[1]2.(x)"], ["a12.x"]),
    ],
)
def test_a_glob_means_what_people_expect(glob: str, fitting: list[str], others: list[str]) -> None:
    fits = glob_pattern(glob)
    assert [path for path in (*fitting, *others) if fits.search(path)] == fitting
