"""From what a server lists to what a model is offered: descriptions cut to size, schemas in the shape models need.

All of it is text by somebody else, so its size is limited and it is never read as anything but text.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from onbook.models.messages import ToolSpec

if TYPE_CHECKING:
    from mcp.types import Tool as Listed

MOST_TOOLS = 100
"""Some providers refuse more than 128 in all."""
LONGEST_DESCRIPTION = 2000
LARGEST_SCHEMA = 20_000
"""Bytes of JSON: more would be a tax on every message."""


def spec_of(name: str, server: str, listed: "Listed") -> ToolSpec | None:
    """The tool as models see it; None when its schema is too large to be sent along with every message."""
    schema = _shaped(listed.input_schema)
    if len(msgspec.json.encode(schema)) > LARGEST_SCHEMA:
        return None
    text = _printable((listed.description or listed.title or listed.name).strip())
    if len(text) > LONGEST_DESCRIPTION:
        text = f"{text[:LONGEST_DESCRIPTION]} [… cut here]"
    return ToolSpec(name, f"{text} (a tool of the MCP server {server})", schema)


def _shaped(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Providers want an object with properties, and take offence at the name of the dialect."""
    rest = {key: value for key, value in schema.items() if key != "$schema"}
    return {**rest, "type": "object", "properties": rest.get("properties") or {}}


def _printable(text: str) -> str:
    return "".join(ch for ch in text if ch.isprintable() or ch in "\n\t")
