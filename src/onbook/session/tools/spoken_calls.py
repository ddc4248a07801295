"""Tool calls that a small model writes out as text instead of making them."""

import re
from collections.abc import Container

import msgspec

from onbook.models.messages import ToolCall

_OPENING, _CLOSING = "<tool_call>", "</tool_call>"
_FENCED = re.compile(r"```(?:json|tool_call)?[^\S\n]*\n(.*)\n```", re.DOTALL)


class _Written(msgspec.Struct):
    name: str
    arguments: dict[str, object] | None = None
    parameters: dict[str, object] | None = None


def spoken_calls(text: str, known: Container[str]) -> tuple[ToolCall, ...]:
    """The calls, when the whole reply is nothing but calls of known tools: an example inside prose is no call."""
    text = text.strip()
    if found := _FENCED.fullmatch(text):
        text = found[1].strip()
    try:
        calls = [msgspec.json.decode(part, type=_Written) for part in _written(text)]
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ()
    if not all(call.name in known for call in calls):
        return ()
    return tuple(
        ToolCall(f"spoken{place}", call.name, msgspec.json.encode(call.arguments or call.parameters or {}).decode())
        for place, call in enumerate(calls)
    )


def _written(text: str) -> list[str]:
    """What stands between tags, if there is nothing else. Not by a pattern, since a model that goes round in circles
    opens thousands."""
    *parts, rest = map(str.strip, text.split(_CLOSING))
    if not parts or rest or not all(part.startswith(_OPENING) for part in parts):
        return [text]
    return [part.removeprefix(_OPENING) for part in parts]
