"""Commands that a model runs, and git, which only shows."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from onbook.outcome import OnbookError
from onbook.policy.door import Denied
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.text import MOST_CHARACTERS
from tests.session.conftest import MakeDoor
from tests.session.tools.conftest import Bench


async def test_a_command_gives_its_exit_code_and_output(bench: Bench, workspace: Path) -> None:
    (workspace / "x.py").write_text("import sys\nprint('\\x1b[32mgreen\\x1b[0m')\nsys.exit(3)\n")
    first, rest = (await bench("run_command", command="python3 x.py")).split("\n", 1)
    assert first.startswith("[exit code 3, ")
    assert rest == "green"
    assert (await bench("run_command", command="python3 -c pass")).endswith("]\n(no output)")


async def test_a_command_that_floods_keeps_its_beginning_and_its_end(bench: Bench, workspace: Path) -> None:
    (workspace / "x.py").write_text("for n in range(300000): print(n)\n")
    said = await bench("run_command", command="python3 x.py")
    assert len(said) < MOST_CHARACTERS + 200
    assert "characters left out" in said
    assert said.splitlines()[1] == "0"
    assert said.splitlines()[-1] == "299999"


async def test_a_command_that_does_not_end_is_stopped_and_says_so(make_door: MakeDoor, workspace: Path) -> None:
    bench = Bench(builtin_tools(make_door(programs=("sh",), timeout=0.3)))
    (workspace / "x.sh").write_text("echo begun\nsleep 60\n")
    said = await bench("run_command", command="sh x.sh")
    assert said.startswith("[stopped after ")
    assert "begun" in said


async def test_a_command_that_never_stops_talking_is_stopped_and_says_so(make_door: MakeDoor) -> None:
    bench = Bench(builtin_tools(make_door(programs=("yes",))))
    first, rest = (await bench("run_command", command="yes")).split("\n", 1)
    assert re.fullmatch(r"\[stopped after \d+ bytes of output\]", first)
    assert rest.startswith("y\n")


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("", "the command is empty"),
        ("echo 'open", "the command cannot be split into words: no closing quotation"),
        ("rm -rf /", "refused to run rm -rf /: rm is not among the programs of safe mode"),
        ("cat ../outside", "refused to run cat ../outside: "),
        ("cat .env", "refused to run cat .env: "),
        ("python4 x", "refused to run python4 x: "),
    ],
)
async def test_a_command_that_may_not_run_is_one_sentence(
    bench: Bench, workspace: Path, command: str, error: str
) -> None:
    (workspace / ".env").touch()
    with pytest.raises(OnbookError) as caught:
        await bench("run_command", command=command)
    assert str(caught.value).startswith(error)


async def test_git_shows_and_never_changes(make_door: MakeDoor, workspace: Path) -> None:
    shutil.rmtree(workspace / ".git")
    env = os.environ | {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    env |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    for line in ("git init -q", "git commit -q --allow-empty -m First"):
        subprocess.run(line.split(), cwd=workspace, check=True, env=env)
    for rules in ({}, {"safe_mode": False}, {"programs": ("git",)}):
        bench = Bench(builtin_tools(make_door("run", **rules)))
        assert (await bench("git", args="log --format=%s")).splitlines()[-1] == "First"
        assert (await bench("git", args="git log --format=%s")).splitlines()[-1] == "First"
        for changing in ("commit -m x", "push", "-c alias.x=!sh x", "log --output=x"):
            with pytest.raises(Denied):
                await bench("git", args=changing)
