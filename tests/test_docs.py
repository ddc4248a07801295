"""The pages say what is: generated ones are fresh, lists are complete, links lead somewhere."""

import re
import tomllib
from pathlib import Path

import pytest

from onbook import __version__
from onbook.cli.pages import command_pages, with_commands
from onbook.cli.settings_page import settings_page
from onbook.commands import manual
from onbook.outcome import Outcome
from onbook.terminal import reader

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PAGES = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("README.md")]


def test_the_command_pages_are_those_of_the_commands() -> None:
    written = {path.name: path.read_text() for path in (DOCS / "commands").glob("*.md")}
    assert written == command_pages(), "run: make docs"


def test_the_reference_of_the_settings_is_that_of_the_code() -> None:
    assert (DOCS / "settings-reference.md").read_text() == settings_page(), "run: make docs"


def test_the_page_of_the_session_lists_the_commands_that_there_are() -> None:
    page = (DOCS / "session.md").read_text()
    assert page == with_commands(page), "run: make docs"


def test_every_dependency_has_its_reason_and_there_are_at_most_twelve() -> None:
    page = (DOCS / "dependencies.md").read_text()
    named = [_name(requirement) for requirement in PROJECT["project"]["dependencies"]]
    assert len(named) <= 12
    extras = PROJECT["project"]["optional-dependencies"]
    for name in named + [_name(each) for extra in extras for each in extras[extra]]:
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
    assert listed == {outcome.exit_code for outcome in Outcome} | {reader.EXIT_CODE}


def test_every_module_that_the_architecture_page_names_is_there() -> None:
    page = (DOCS / "architecture.md").read_text()
    modules = [f"/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "src").rglob("*.py")]
    named = [name for name in re.findall(r"(?<![*\w/])[\w/]+\.py", page) if "NAME" not in name]
    assert [name for name in named if not any(module.endswith(f"/{name}") for module in modules)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in _links(page) if not _leads_somewhere(page, link)] == []


def test_a_link_to_a_missing_page_or_heading_would_be_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One\n\n## `a.b` and c\n\n```text\n[x](in-code.md)\n```\n[a](page.md#ab-and-c) [b](#two) [c](no.md)\n"
    )
    assert [link for link in _links(page) if not _leads_somewhere(page, link)] == ["#two", "no.md"]


def test_every_page_is_named_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in DOCS.glob("*.md") if f"docs/{page.name}" not in readme] == []


def test_an_installed_onbook_has_every_topic() -> None:
    packed = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert packed["docs"] == "onbook/docs"
    beside = {topic: page for topic, page in manual.pages().items() if page.parent != DOCS}
    assert {packed[page.name] for page in beside.values()} == {f"onbook/docs/{topic}.md" for topic in beside}


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


def _links(page: Path) -> list[str]:
    """Links into the repository, but for those that stand in code."""
    text = re.sub(r"^(```+).*?^\1", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\((?!\w+:)([^)\s]+)\)", text)


def _leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """What GitHub and the site call the headings: small letters, `-` for spaces, no other marks."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def _name(requirement: str) -> str:
    return re.split(r"[<>=\[ ]", requirement)[0]
