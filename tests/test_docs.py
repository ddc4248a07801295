"""The pages say what is: generated ones are fresh, lists are complete, links lead somewhere."""

import re
import tomllib
from pathlib import Path

import pytest

from onbook import __version__
from onbook.cli.pages import command_pages
from onbook.outcome import Outcome

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PAGES = [*ROOT.glob("*.md"), *DOCS.glob("*.md"), *(ROOT / "examples").glob("*.md")]


def test_the_command_pages_are_those_of_the_commands() -> None:
    written = {path.name: path.read_text() for path in (DOCS / "commands").glob("*.md")}
    assert written == command_pages(), "run: make docs"


def test_every_dependency_has_its_reason_and_there_are_at_most_twelve() -> None:
    page = (DOCS / "dependencies.md").read_text()
    named = [_name(requirement) for requirement in PROJECT["project"]["dependencies"]]
    assert len(named) <= 12
    extras = PROJECT["project"]["optional-dependencies"]
    for name in named + [_name(each) for extra in extras if extra != "dev" for each in extras[extra]]:
        assert f"`{name}`" in page


def test_the_architecture_page_lists_every_room_in_the_order_of_the_contract() -> None:
    page = (DOCS / "architecture.md").read_text()
    folders = {path.name for path in (ROOT / "src" / "onbook").iterdir() if (path / "__init__.py").exists()}
    rooms = [
        room
        for layer in PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
        for module in layer.split(" | ")
        if (room := module.removeprefix("onbook.")) in folders
    ]
    assert re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE) == rooms
    assert folders == set(rooms)


def test_the_architecture_page_lists_every_exit_code() -> None:
    page = (DOCS / "architecture.md").read_text()
    listed = {int(code) for code in re.findall(r"\b(\d+) [a-z]", page.partition("## Exit codes")[2])}
    assert listed == {outcome.exit_code for outcome in Outcome}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in DOCS.glob("*.md") if f"docs/{page.name}" not in readme] == []


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


def _name(requirement: str) -> str:
    return re.split(r"[<>=\[ ]", requirement)[0]
