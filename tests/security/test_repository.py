"""A repository that was cloned: what lies in it could reach for the shell, the screen, the programs or the records."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import CommandLine, Terminal, write_script
from tests.e2e.conftest import Project
from tests.scripted import Reply
from tests.security.conftest import CODES_IN_TOML, SHELL, completed, driven_by, shown

PIPELINE = """
[[pipelines]]
name = "evil"
[[pipelines.steps]]
name = "one"
type = "once"
command = "./evil.sh"
"""


@pytest.mark.threat("S60")
def test_a_name_of_a_file_puts_nothing_into_the_shell(run: CommandLine, project: Project) -> None:
    for name in (f"{SHELL}.md", f"x\nplain,{SHELL}.md", "`touch pwned`.md", "fine.md"):
        (project.root / name).write_text("x")

    offered = completed(run, "onbook pipeline 85% ").splitlines()

    assert offered == [f"plain,'{SHELL}.md'", "plain,'`touch pwned`.md'", "plain,fine.md"]


@pytest.mark.threat("S61")
def test_its_settings_cannot_drive_the_terminal(terminal: Terminal, project: Project) -> None:
    (project.root / "onbook.toml").write_text(
        f'role = "r"\n[[roles]]\nname = "r"\nwelcome = "welcome {CODES_IN_TOML}"\n'
        f'[[mcp]]\nname = "files"\ncommand = ["sh", "-c", "true {CODES_IN_TOML}"]\n'
    )
    project.server.replies(Reply("Hello."))

    raw = shown(terminal("ask", "hello")) + shown(terminal("config", "show"))

    assert r"true \x1b]52" in raw
    assert r"welcome \x1b]52" in raw
    assert not driven_by(raw)


@pytest.mark.threat("S62")
def test_a_run_that_came_with_the_folder_is_not_gone_on_with(run: CommandLine, project: Project) -> None:
    (project.root / "onbook.toml").write_text("")
    (project.root / "hidden.toml").write_text(PIPELINE)
    write_script(project.root / "evil.sh", "touch pwned; exit 1")
    run("script", "run", "evil", "--config", "hidden.toml", "--input", "x")
    (project.root / "pwned").unlink()
    shutil.rmtree(project.home / "state")  # from here on it is the folder of somebody else

    finished = run("runs", "resume")

    assert finished.code == 1
    assert "was not begun by you here" in finished.complaint
    assert not (project.root / "pwned").exists()


@pytest.mark.threat("S63")
def test_its_modules_are_not_taken_for_onbooks(run: CommandLine, project: Project) -> None:
    for name in ("httpx2", "msgspec", "click", "json", "sitecustomize", "onbook"):
        (project.root / f"{name}.py").write_text("open('pwned', 'w')\n")
    project.server.replies(Reply("Hello."))
    program = Path(sys.executable).with_name("onbook")  # as people have it; `python -m` looks into the folder first

    asked = subprocess.run([program, "ask", "hello"], cwd=project.root, env=run.env, capture_output=True, text=True)

    assert asked.stdout == "Hello.\n", asked.stderr
    assert not (project.root / "pwned").exists()
