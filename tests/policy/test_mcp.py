"""Tools of MCP servers at the door: asked about one by one, unless the settings name them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.policy_settings import PolicySettings
from onbook.policy.audit import Audit
from onbook.policy.door import Denied, Door
from onbook.policy.effects import Connect, describe, tool_of, tool_url
from onbook.policy.grants import Grants, scope_of
from tests.policy.conftest import DoorMaker, Person

READ = Connect("mcp://files/read", '{"path": "a.txt"}')


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_tools_url_names_exactly_that_tool(server: str, tool: str) -> None:
    assert tool_of(tool_url(server, tool)) == (server, tool)


@given(st.text(), st.text())
def test_a_question_about_a_tool_is_one_short_line(tool: str, detail: str) -> None:
    text = describe(Connect(tool_url("files", tool), detail))
    assert text.isprintable()
    assert len(text) <= 301


async def test_a_tool_is_asked_about_with_its_server_and_its_arguments(open_door: DoorMaker) -> None:
    person = Person("once")
    await open_door(asker=person).request(READ, "model")
    (effect, reason) = person.asked[0]
    assert effect == READ
    assert reason.startswith("what read does is up to the MCP server files; a yes for longer than once is one for ")
    assert describe(READ) == 'use read of the MCP server files with {"path": "a.txt"}'


async def test_a_tool_is_refused_where_nobody_can_be_asked(open_door: DoorMaker) -> None:
    with pytest.raises(Denied, match=r'\[\[mcp\]\] name = "files", allow = \["read"\]'):
        await open_door().request(READ, "model")


@pytest.mark.parametrize("tools", [["mcp://files/read"], ["mcp://files/*"]])
async def test_a_tool_that_the_settings_allow_passes_and_is_written_down(
    root: Path, state: Path, tools: list[str]
) -> None:
    door = Door(root, PolicySettings(), audit=Audit(root, state), tools=tools)
    await door.request(READ, "model")
    (line,) = door.audit.tail()
    assert (line.verdict, line.effect) == ("allow", READ)
    assert line.reason == "the settings allow read of the MCP server files"


@pytest.mark.parametrize("url", ["mcp://files/write", "mcp://files2/read", "mcp://files/read2"])
async def test_what_the_settings_allow_is_that_tool_alone(root: Path, state: Path, url: str) -> None:
    door = Door(root, PolicySettings(), audit=Audit(root, state), tools=["mcp://files/read"])
    with pytest.raises(Denied):
        await door.request(Connect(url), "model")


async def test_always_covers_the_tool_with_any_arguments_and_no_other(root: Path, state: Path) -> None:
    grants = Grants(root, state)
    door = Door(root, PolicySettings(), audit=Audit(root, state), grants=grants, asker=Person("always"))
    await door.request(READ, "model")
    assert grants.show() == {"connect:mcp://files/read"} == {scope_of(Connect("mcp://files/read", "{}"))}
    later = Door(root, PolicySettings(), audit=Audit(root, state), grants=grants)
    await later.request(Connect("mcp://files/read", '{"path": "b.txt"}'), "model")
    with pytest.raises(Denied):
        await later.request(Connect("mcp://files/write"), "model")


@pytest.mark.parametrize("value", ["connect:mcp://files/read", "connect:mcp://files/*", "connect"])
async def test_allow_covers_a_tool_or_all_of_a_server(open_door: DoorMaker, value: str) -> None:
    await open_door(allow=frozenset({value})).request(READ, "model")


@pytest.mark.parametrize("url", ["mcp:", "mcp://", "mcp://files", "mcp://files/", "mcp://files/a/b", "mcp://u@h/t"])
async def test_a_url_that_names_no_tool_is_refused(open_door: DoorMaker, url: str) -> None:
    with pytest.raises(Denied, match="it names no tool"):
        await open_door(asker=Person("always")).request(Connect(url), "model")
