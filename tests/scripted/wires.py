"""What the three chat protocols have in common: frames of a stream, one whole body, and errors."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .faults import Status
from .replies import Reply
from .request import Request


@dataclass(frozen=True, slots=True)
class Frames:
    """A streamed reply, one item for each event: faults cut the content and leave off the ending."""

    opening: tuple[bytes, ...]
    content: tuple[bytes, ...]
    ending: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Wire:
    """One protocol. `whole` takes False as its last argument to leave the finish reason out."""

    stream_type: str
    frames: Callable[[Reply, Request], Frames]
    whole: Callable[[Reply, Request, bool], dict[str, Any]]
    error_frame: Callable[[Any], bytes]
    unauthorized: Callable[[], Status]
    unknown_model: Callable[[str], Status]


def dump(value: Any) -> bytes:
    """JSON with its characters unescaped, so that cutting the bytes can cut a character."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def as_error(error: Any) -> dict[str, Any]:
    """An error object under its key, whether or not it came with one."""
    return error if isinstance(error, dict) and "error" in error else {"error": error}


def parsed_arguments(text: str) -> Any:
    """Tool arguments for the protocols that carry them as an object; broken ones become an empty one."""
    try:
        return json.loads(text)
    except ValueError:
        return {}
