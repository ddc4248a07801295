"""`/help`, the manual's pages and `onbook help`."""

from pathlib import Path

import pytest

from onbook.commands.manual import pages
from onbook.commands.registry import COMMANDS, command
from onbook.commands.usage import help_of
from onbook.outcome import Outcome
from tests.commands.conftest import Typed
from tests.conftest import CommandLine

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_the_table_tells_of_it(name: str) -> None:
    found = command(name)
    assert found is not None
    assert found.help
    assert help_of([name]).startswith(f"/{name}")


async def test_help_lists_the_grammar_every_command_and_the_topics(typed: Typed) -> None:
    assert await typed("/help") is Outcome.PASSED
    assert typed.text.startswith("/command words ")
    for name, entry in COMMANDS.items():
        assert f"  /{name:<12} {entry.summary}\n" in typed.text
    assert all(topic in typed.text.splitlines()[-1] for topic in pages())


async def test_help_knows_commands_their_subcommands_and_pages(typed: Typed) -> None:
    await typed("/help model")
    assert typed.text.startswith("/model [list|NAME]\n")
    await typed("/help /QUIT")
    assert typed.text.startswith("/exit\n")
    assert typed.text.endswith("The same: /quit /bye\n")
    await typed("/help session show")
    assert typed.text.startswith("/session show [SESSION]\n")
    await typed("/help events")
    assert typed.text.startswith("# Events\n")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("/help modle", 'no topic "modle"; did you mean model?'),
        ("/help xyzzy", 'no topic "xyzzy"; /help lists them'),
        ("/help session shwo", '/session has no command "shwo"'),
        ("/help exit now", '/exit has no command "now"'),
    ],
)
async def test_an_unknown_topic_is_one_line(typed: Typed, line: str, complaint: str) -> None:
    assert await typed(line) is Outcome.USAGE
    assert typed.error.startswith(complaint)


async def test_topics_are_completed(typed: Typed) -> None:
    assert await typed.offered("/help cl") == ["clear"]
    assert await typed.offered("/help /cl") == ["/clear"]
    assert await typed.offered("/help even") == ["events"]


def test_the_command_line_knows_the_commands_of_a_session(run: CommandLine) -> None:
    assert run("help", "/model").stdout.startswith("/model [list|NAME]\n")
    assert run("help", "model").stdout.startswith("Usage: onbook model ")
    assert run("help", "compact").stdout.startswith("/compact [--keep N]\n")
    assert run("help", "/session", "show").stdout.startswith("/session show ")
    assert run("help", "/modle").complaint == 'no topic "/modle"; did you mean /model? `onbook help` lists them'
    assert " /compact " in run("help").stdout


def test_the_page_on_the_session_links_to_every_command() -> None:
    page = (DOCS / "session.md").read_text()
    assert [name for name in COMMANDS if f"[`/{name}`](commands/slash-{name}.md)" not in page] == []
