"""A tool that shouts a word, calls of it, and other tools made in a test."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from onbook.models.messages import ToolSpec
from onbook.session.tools.tool import Tool
from tests.scripted import ToolCall

Work = Callable[[Mapping[str, Any]], Awaitable[str]]


def tool(name: str, work: Work, *, reads_only: bool = True) -> Tool:
    return Tool(ToolSpec(name, f"Does {name}.", {"type": "object", "properties": {}}), work, reads_only)


async def _shout(arguments: Mapping[str, Any]) -> str:
    return f"{arguments.get('word', 'nothing')}!"


SHOUT = tool("shout", _shout)


def call(word: str, name: str = "c1") -> ToolCall:
    return ToolCall(name, "shout", json.dumps({"word": word}))
