"""The ways an answer goes wrong. Each value can stand wherever a Reply can."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .replies import Reply

LINE = Reply("The quick brown fox jumps over the lazy dog")


@dataclass(frozen=True, slots=True)
class Refuse:
    """The request is read and the connection closed without a word; `reset` makes it a TCP reset."""

    reset: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP status with a body: JSON for anything but text and bytes."""

    code: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SlowFirstByte:
    """Nothing for some seconds, then the answer. `headers_first` sends a stream's head before."""

    seconds: float
    then: "Answer" = LINE
    headers_first: bool = False


@dataclass(frozen=True, slots=True)
class Stall:
    """Some deltas, then silence until the client leaves or the server stops."""

    after_chunks: int = 2
    reply: Reply = LINE


@dataclass(frozen=True, slots=True)
class Cut:
    """Some deltas, then the socket is closed in mid-body; `inside` cuts within the next event."""

    after_chunks: int = 2
    reply: Reply = LINE
    inside: bool = False
    reset: bool = False


@dataclass(frozen=True, slots=True)
class CleanEndWithoutFinish:
    """All the text and a proper end of the body, but no finish reason, `[DONE]` or `message_stop`."""

    reply: Reply = LINE


@dataclass(frozen=True, slots=True)
class Garbage:
    """Bytes that are not of the protocol, after some deltas; then the reply goes on to its proper end."""

    data: bytes = b"data: {not json\n\n"
    after_chunks: int = 2
    reply: Reply = LINE


@dataclass(frozen=True, slots=True)
class ErrorInStream:
    """Status 200 and some deltas, then an error object as an event, then the end of the body."""

    error: Any
    after_chunks: int = 2
    reply: Reply = LINE


@dataclass(frozen=True, slots=True)
class Raw:
    """These very bytes, head and all; then `again` and again until the client leaves, or silence, or the end."""

    data: bytes
    again: bytes = b""
    stays: bool = False
    """The line stays open, and nothing more is said."""


@dataclass(frozen=True, slots=True)
class Times:
    """The same answer several times, then whatever follows it in the script."""

    n: int
    answer: "Answer"


Fault = Refuse | Status | SlowFirstByte | Stall | Cut | CleanEndWithoutFinish | Garbage | ErrorInStream | Raw
Answer = Reply | Fault
