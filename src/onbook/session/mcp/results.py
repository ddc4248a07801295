"""What a tool of a server gave back, as the text that the model reads."""

import json
from typing import TYPE_CHECKING, Any

from onbook.excerpt import cut_middle, plain
from onbook.policy.secrets import redact

if TYPE_CHECKING:
    from mcp.types import CallToolResult, ContentBlock

LONGEST = 30_000
"""Characters of a result, of which the middle is left out if there are more."""
LONGEST_SHOWN = 2_000
"""Characters of the arguments that somebody is asked about."""


def text_of(result: "CallToolResult") -> str:
    """All parts in order, without keys and control characters; what is no text is named, what is too long is cut."""
    parts = [_part(block) for block in result.content]
    if not parts and result.structured_content is not None:
        parts = [_json(result.structured_content)]
    text = plain("\n".join(parts).encode("utf-8", "replace"))
    return cut_middle(redact(text), LONGEST) or "[the tool returned nothing]"


def shortened(arguments: Any, longest: int = LONGEST_SHOWN) -> str:
    """The arguments of a call on one line, for whoever is asked; how much is not shown is said."""
    text = redact(_json(arguments))
    return text if len(text) <= longest else f"{text[:longest]}… and {len(text) - longest:,} characters more"


def _part(block: "ContentBlock") -> str:
    if block.type == "text":
        return block.text
    if block.type == "image" or block.type == "audio":
        return f"[{block.type}: {block.mime_type}, {len(block.data) * 3 // 4} bytes, not shown]"
    if block.type == "resource_link":
        return f"[resource: {block.name}, {block.uri}]"
    resource = block.resource
    text = getattr(resource, "text", None)
    if text is not None:
        return f"[resource: {resource.uri}]\n{text}"
    return f"[resource: {resource.uri}, {resource.mime_type or 'of no known type'}, not shown]"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
