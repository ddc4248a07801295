"""Tool calls that a small model writes out as text instead of making them."""

import re
from collections.abc import Container

import msgspec

from onbook.models.messages import ToolCall

_TAGGED = re.compile(r"<tool_call>\s*(.*?)\s*</tool_call>", re.DOTALL)
_FENCED = re.compile(r"```(?:json|tool_call)?\s*\n(.*)\n```", re.DOTALL)


class _Written(msgspec.Struct):
    name: str
    arguments: dict[str, object] | None = None
    parameters: dict[str, object] | None = None


def spoken_calls(text: str, known: Container[str]) -> tuple[ToolCall, ...]:
    """The calls, when the whole reply is nothing but calls of known tools: an example inside prose is no call."""
    text = text.strip()
    if found := _FENCED.fullmatch(text):
        text = found[1].strip()
    written = _TAGGED.findall(text) if not _TAGGED.sub("", text).strip() else [text]
    try:
        calls = [msgspec.json.decode(part, type=_Written) for part in written]
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ()
    if not all(call.name in known for call in calls):
        return ()
    return tuple(
        ToolCall(f"spoken{place}", call.name, msgspec.json.encode(call.arguments or call.parameters or {}).decode())
        for place, call in enumerate(calls)
    )
