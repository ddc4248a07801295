"""Asking a model in tests: one short request, and what came back, kind by kind."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import msgspec

from onbook.models.messages import ChatModel, Delta, Message, Reasoning, Request, Text
from tests.scripted import ScriptedServer, Status

HELLO = Request((Message("user", "hello"),))
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


async def heard(model: ChatModel, request: Request = HELLO) -> list[Delta]:
    """Every delta of the answer."""
    async with aclosing(model.stream(request)) as deltas:
        return [delta async for delta in deltas]


async def body_of(server: ScriptedServer, model: ChatModel, request: Request) -> dict[str, Any]:
    """What the server was sent for the request."""
    await heard(model, request)
    body: dict[str, Any] = server.chats[-1].body
    return body


async def heard_until_it_failed(model: ChatModel, request: Request = HELLO) -> tuple[list[Delta], Exception | None]:
    """The deltas that came before the error, and the error."""
    found: list[Delta] = []
    try:
        async with aclosing(model.stream(request)) as deltas:
            async for delta in deltas:
                found.append(delta)
    except Exception as error:
        return found, error
    return found, None


def text_of(deltas: Iterable[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, Text))


def reasoning_of(deltas: Iterable[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, Reasoning))


def events(*data: object, end: bytes = b"\n\n") -> Status:
    """A stream of exactly these events: bytes as they are, everything else as JSON."""
    lines = [b"data: " + (item if isinstance(item, bytes) else msgspec.json.encode(item)) + end for item in data]
    return raw_stream(b"".join(lines))


def raw_stream(body: bytes) -> Status:
    return Status(200, body, {"Content-Type": "text/event-stream"})


def chunk(finish: str | None = None, **delta: object) -> dict[str, object]:
    """One chunk of OpenAI's protocol."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


@asynccontextmanager
async def server_that_sends(answer: bytes) -> AsyncIterator[str]:
    """Takes a request, sends these very bytes, head and all, and hangs up. Gives its URL."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
