"""Model servers as nobody wants them, each as an answer of the scripted server, and whether onbook can go on."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.models.asking import chunk
from tests.scripted import Answer, CleanEndWithoutFinish, Cut, Garbage, Raw, Refuse, Reply, SlowFirstByte, Stall, Status

LONG = 3_600.0
WORDS = "All is well. The ghost \x1b[31mwalks\x1b[2J\x07 \x9b31m at \u202enight\u202c \ufeff.\r\n\x1b]0;title\x07"
"""Text that would like to speak to the terminal itself."""


@dataclass(frozen=True)
class Bad:
    """One kind of bad server."""

    fault: str
    name: str
    answer: Answer | Callable[[Reply], Answer]
    """What it says to everybody, or makes of what it would have said."""
    goes_on: bool = False
    """Whether its answer is an answer all the same."""

    def __str__(self) -> str:
        return self.name


def sse(*events: Any) -> bytes:
    """Events as they stand on the wire."""
    data = (event if isinstance(event, bytes) else json.dumps(event).encode() for event in events)
    return b"".join(b"data: " + each + b"\n\n" for each in data)


def answer(body: bytes = b"", *headers: str, kind: str = "text/event-stream") -> bytes:
    """A head without a length, and the beginning of a body: it ends with the connection."""
    lines = ("HTTP/1.1 200 OK", f"Content-Type: {kind}", "Connection: close", *headers, "", "")
    return "\r\n".join(lines).encode() + body


WHOLE = sse(chunk(content="All is well."), chunk("stop"), b"[DONE]")
TOKENS = sse(*[chunk(content=" word")] * 100)
STALE = json.dumps({"choices": [{"message": {"role": "assistant", "content": "All is well."}}]}).encode()


def used(prompt: int, completion: int) -> bytes:
    counted = {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}
    return sse(chunk(content="All is well."), chunk("stop"), counted, b"[DONE]")


def calls(name: str, arguments: str) -> bytes:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return sse(chunk(tool_calls=[call]), chunk("tool_calls"), b"[DONE]")


BAD = (
    Bad("server killed", "before the answer", Refuse()),
    Bad("server killed", "before the answer, reset", Refuse(reset=True)),
    Bad("server killed", "in the middle", Cut()),
    Bad("server killed", "in the middle, reset", Cut(reset=True)),
    Bad("server killed", "inside an event", Cut(inside=True)),
    Bad("server killed", "at the very end", CleanEndWithoutFinish()),
    Bad("server stalled", "not a byte", SlowFirstByte(LONG)),
    Bad("server stalled", "only a head", SlowFirstByte(LONG, headers_first=True)),
    Bad("server stalled", "after some words", Stall()),
    Bad("server stalled", "at the end, and does not hang up", Raw(answer(WHOLE), stays=True), goes_on=True),
    Bad("server slow", "a byte now and then", lambda reply: replace(reply, cut_every=400, delay=0.01), goes_on=True),
    Bad("server slow", "late", lambda reply: SlowFirstByte(0.3, reply), goes_on=True),
    Bad("server refusing", "503", Status(503, "busy")),
    Bad("server refusing", "401", Status(401, {"error": {"message": "no"}})),
    Bad("server refusing", "sends elsewhere", Status(307, "", {"Location": "http://127.0.0.1:1/v1"})),
    Bad("server lying", "a length that is too long", Raw(answer(WHOLE[:60], "Content-Length: 9999"))),
    Bad("server lying", "a length that is too short", Raw(answer(WHOLE, "Content-Length: 60"))),
    Bad("server lying", "a length that is no number", Raw(answer(WHOLE, "Content-Length: x"))),
    Bad("server lying", "broken JSON", Garbage()),
    Bad("server lying", "JSON of another kind", Garbage(sse(["what"], 7, {"choices": "none"}))),
    Bad("server lying", "JSON nested without end", Garbage(sse(b"[" * 100_000))),
    Bad("server lying", "not a stream", Raw(answer(STALE, kind="application/json"))),
    Bad("server lying", "a web page", Status(200, "<html>Welcome</html>", {"Content-Type": "text/html"})),
    Bad("server lying", "not HTTP", Raw(b"SSH-2.0-OpenSSH_9.6\r\n")),
    Bad("server lying", "nothing at all", Status(200, "")),
    Bad("server lying", "half characters", Raw(answer(sse(b'{"choices": [{"delta": {"content": "\xff\xfe"}}]}')))),
    Bad("server lying", "another content type", Raw(answer(WHOLE, kind="image/png")), goes_on=True),
    Bad("server lying", "another encoding", Raw(answer(WHOLE, "Content-Encoding: gzip"))),
    Bad("server lying", "fewer tokens than none", Raw(answer(used(-5, -7))), goes_on=True),
    Bad("server lying", "more tokens than atoms", Raw(answer(used(10**18, 10**18))), goes_on=True),
    Bad("server lying", "more tokens than fit", Raw(answer(used(10**40, 10**40))), goes_on=True),
    Bad(
        "server lying",
        "another model",
        Raw(answer(sse({"model": "ghost", **chunk("stop", content="All is well.")}))),
        goes_on=True,
    ),
    Bad(
        "server lying",
        "another role",
        Raw(answer(sse(chunk("stop", role="user", content="All is well.")))),
        goes_on=True,
    ),
    Bad(
        "server lying", "two ends", Raw(answer(sse(chunk("stop", content="All is well."), chunk("stop")))), goes_on=True
    ),
    Bad("server lying", "speaks to the terminal", Reply(WORDS), goes_on=True),
    Bad("server lying", "NUL", Reply("All is\x00 well."), goes_on=True),
    Bad("server flooding", "headers without end", Raw(b"HTTP/1.1 200 OK\r\n", b"X-Ghost: " + b"o" * 65_000 + b"\r\n")),
    Bad("server flooding", "a line without end", Raw(answer(b"data: "), b"o" * 65_536)),
    Bad("server flooding", "an event without end", Raw(answer(), b"data: " + b"o" * 65_000 + b"\n")),
    Bad("server flooding", "tokens without end", Raw(answer(), TOKENS)),
    Bad(
        "server flooding",
        "arguments without end",
        Raw(answer(), calls("write_file", "o" * 60_000).partition(b"\n\n")[0] + b"\n\n"),
    ),
    Bad("server flooding", "blank without end", Raw(answer(), sse(chunk(content=" " * 500)))),
    Bad("server flooding", "comments without end", Raw(answer(), b": still here\n\n" * 1000)),
    Bad("server flooding", "a complaint without end", Raw(answer().replace(b"200 OK", b"400 Bad"), b"o" * 65_536)),
    Bad(
        "server flooding",
        "a bomb",
        Raw(answer(gzip.compress(b"data: " + b"o" * 200_000_000), "Content-Encoding: gzip")),
    ),
)
"""Answers that each stand for all answers of the server while it is in trouble."""
