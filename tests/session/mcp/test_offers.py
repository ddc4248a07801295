"""What a model sees of a server's tools: names that every provider takes, texts of a bearable size."""

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import CallToolResult, ContentBlock, EmbeddedResource, ResourceLink, TextContent, TextResourceContents
from mcp.types import Tool as Listed

from onbook.session.mcp.names import tool_name
from onbook.session.mcp.offers import spec_of
from onbook.session.mcp.results import shortened, text_of


@given(st.text(), st.text(), st.sets(st.text()))
def test_a_name_is_one_that_every_provider_takes(server: str, tool: str, taken: set[str]) -> None:
    name = tool_name(server, tool, taken)
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
    assert name not in taken


@given(st.lists(st.text(max_size=80), unique=True))
def test_no_two_tools_of_a_server_share_a_name(tools: list[str]) -> None:
    taken: set[str] = set()
    for tool in tools:
        taken.add(tool_name("files", tool, taken))
    assert len(taken) == len(tools)


def test_a_name_that_means_something_else_already_gets_a_few_digits() -> None:
    assert tool_name("read", "file", ()) == "read_file"
    assert re.fullmatch(r"read_file_[0-9a-f]{8}", tool_name("read", "file", {"read_file"}))


def test_a_long_description_is_cut_and_control_characters_are_left_out() -> None:
    listed = Listed(name="look", description="\x1b[2Jlook " + "x" * 5000, input_schema={"type": "object"})
    spec = spec_of("files_look", "files", listed)
    assert spec is not None
    assert spec.description.startswith("[2Jlook xx")
    assert spec.description.endswith("x [… cut here] (a tool of the MCP server files)")
    assert len(spec.description) < 2100


def test_a_schema_is_an_object_with_properties_whatever_the_server_says() -> None:
    listed = Listed(name="look", input_schema={"$schema": "http://example.org/", "required": ["a"]})
    spec = spec_of("files_look", "files", listed)
    assert spec is not None
    assert spec.parameters == {"type": "object", "properties": {}, "required": ["a"]}


def test_a_schema_that_would_burden_every_message_is_left_out() -> None:
    listed = Listed(name="look", input_schema={"type": "object", "description": "x" * 20_000})
    assert spec_of("files_look", "files", listed) is None


def test_resources_are_shown_as_text_or_named() -> None:
    embedded = TextResourceContents(uri="file:///a.txt", text="inside")
    content: list[ContentBlock] = [
        TextContent(text="above\x1b[31m"),
        EmbeddedResource(resource=embedded),
        ResourceLink(name="b.txt", uri="file:///b.txt"),
    ]
    text = text_of(CallToolResult(content=content))
    assert text == "above\n[resource: file:///a.txt]\ninside\n[resource: b.txt, file:///b.txt]"


def test_a_result_with_only_structure_is_json_and_an_empty_one_says_so() -> None:
    assert text_of(CallToolResult(content=[], structured_content={"a": 1})) == '{"a": 1}'
    assert text_of(CallToolResult(content=[])) == "[the tool returned nothing]"


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none()))
def test_shortened_arguments_are_short(arguments: dict[str, object]) -> None:
    assert len(shortened(arguments, 200)) <= 250
    assert shortened({"key": "sk-" + "a1B2" * 10}) == '{"key": "[redacted]"}'
    assert msgspec.json.decode(shortened({"a": "é"})) == {"a": "é"}
