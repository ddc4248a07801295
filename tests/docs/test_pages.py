"""README and the tutorial are carried out, command by command; a scripted model says what the embedded one said."""

import re
import shutil
import tomllib
from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest

from tests.docs.console import Command, carry_out, difference, steps
from tests.docs.shell import home_environment, name_model
from tests.scripted import Reply, ScriptedServer

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text()
SAID = {
    "welcome to a theatre audience": '"The Theatre of the Ancients: A Journey Through Ancient Wisdom and Legends"',
    "Say the same in five words": "The doors are closed when a ghost is revealed.",
}
"""What the embedded model said when README was written; the scripted one says it again."""


@pytest.fixture
def env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Somebody with an empty home, git's name for them, and a model that is half sure of every word."""
    default = _said("Hamlet.")
    with ScriptedServer(context={"llama3:latest": 8192}, context_field="context_length", default=default) as server:
        for asked, words in SAID.items():
            server.rule(asked, _said(words))
        name_model(tmp_path / "home", server.openai_url, route="here")
        author = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
        committer = {"GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org"}
        yield home_environment(tmp_path / "home") | author | committer | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def _said(words: str) -> Reply:
    return Reply(deltas=(words,), logprobs=(log(0.5),))


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What a reader of README has before them: the examples, and the tests beside them."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=shutil.ignore_patterns(".onbook", "__pycache__"))
    (folder / "tests").symlink_to(ROOT / "tests")
    return folder


def test_every_command_of_the_readme_says_what_is_shown(clone: Path, env: dict[str, str]) -> None:
    assert _differences(README, clone, env) == []


def test_every_command_of_the_tutorial_says_what_is_shown(tmp_path: Path, env: dict[str, str]) -> None:
    assert _differences(TUTORIAL, tmp_path, env) == []


def _differences(page: str, folder: Path, env: dict[str, str]) -> list[str]:
    todo = steps(page)
    commands = [step for step in todo if isinstance(step, Command)]
    written = carry_out(todo, folder, env)
    assert len(written) == len(commands) > 5
    return [found for command, lines in zip(commands, written, strict=True) if (found := difference(command, lines))]


@pytest.mark.parametrize("words", SAID.values())
def test_the_readme_shows_what_the_model_said(words: str) -> None:
    assert f"\n{words}\n" in README


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/tutorial.md"])
def test_whatever_is_to_be_made_can_be_made(page: str) -> None:
    targets = set(re.findall(r"(?:^ +|`)make ([a-z]+)", (ROOT / page).read_text(), re.MULTILINE))
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert targets <= known


def test_what_is_to_be_installed_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    wanted = re.findall(r"install '\.\[(.+?)\]'", README)
    assert wanted
    assert set(wanted) <= set(extras)
