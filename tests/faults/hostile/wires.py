"""What servers send: streams of each protocol in any pieces, listings, errors, embeddings, messages of MCP."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from mcp.types import CallToolResult, Tool, jsonrpc_message_adapter
from pydantic import ValidationError

from onbook.models.anthropic_messages import EventReader
from onbook.models.backend import AnthropicBackend, OpenAIBackend
from onbook.models.embeddings import ollama_embeddings, openai_embeddings
from onbook.models.errors import MalformedStream
from onbook.models.failures import failure, failure_in_stream
from onbook.models.http import Wire
from onbook.models.messages import Delta
from onbook.models.ollama import OllamaBackend
from onbook.models.openai_chat import ChunkReader
from onbook.models.sse import EventStream
from onbook.models.streaming import Reader
from onbook.session.mcp.names import tool_name
from onbook.session.mcp.offers import spec_of
from onbook.session.mcp.results import shortened, text_of
from tests.faults.hostile.mutations import as_bytes, in_pieces
from tests.faults.hostile.table import check_words, parser
from tests.faults.ledger import kept


def sse(*events: Any) -> str:
    """Events as a server sends them."""
    return "".join(f"data: {each if isinstance(each, str) else json.dumps(each)}\n\n" for each in events)


def choice(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


CALL = {"index": 0, "id": "call_1", "function": {"name": "read_file", "arguments": '{"path":'}}
OPENAI = (
    sse(choice(content="<think>hm</think>Hel"), choice(content="lo"), choice("stop"), "[DONE]"),
    sse(choice(tool_calls=[CALL]), choice(tool_calls=[{"index": 0, "function": {"arguments": '"a"}'}}]), "[DONE]"),
    sse(
        choice(
            content=[{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "a"}]
        ),
        choice(reasoning={"content": "x"}, reasoning_content="y", refusal="no"),
        {
            "choices": [
                {"delta": {"content": "a"}, "logprobs": {"content": [{"logprob": -0.1}]}, "finish_reason": "stop"}
            ]
        },
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}},
    ),
    sse({"error": {"message": "overloaded", "code": 529}}),
)
ANTHROPIC = (
    sse(
        {"type": "message_start", "message": {"usage": {"input_tokens": 3, "cache_read_input_tokens": 1}}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hello"}},
        {"type": "content_block_stop"},
        {
            "type": "content_block_start",
            "content_block": {"type": "tool_use", "id": "t", "name": "answer", "input": {}},
        },
        {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": '{"a":1}'}},
        {"type": "content_block_stop"},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ),
    sse({"type": "error", "error": {"type": "overloaded_error", "message": "later"}}),
)


def streamed(data: bytes, chunks: Iterable[bytes], reader: Reader) -> list[Delta]:
    """What a reader makes of a stream, as `stream_answer` does it."""
    events, deltas = EventStream(), list[Delta]()
    for chunk in chunks:
        for event in events.feed(chunk):
            deltas += reader.read(event)
    for event in events.flush():
        deltas += reader.read(event)
    if not reader.finished:
        raise MalformedStream("scripted", "the stream ended without its finish marker")
    return [*deltas, *reader.close()]


def same_in_pieces(text: str, reader: Callable[[], Reader]) -> None:
    """However the bytes come, what was said is the same."""
    data = as_bytes(text)
    whole = streamed(data, [data], reader())
    kept(streamed(data, in_pieces(data), reader()) == whole, "something that was said")


@parser("OpenAI stream", *OPENAI)
def openai_stream(text: str, folder: Path) -> None:
    same_in_pieces(text, lambda: ChunkReader("scripted"))


@parser("Anthropic stream", *ANTHROPIC)
def anthropic_stream(text: str, folder: Path) -> None:
    same_in_pieces(text, lambda: EventReader("scripted", schema_bound=len(text) % 2 == 0))


class Body(httpx2.AsyncByteStream):
    """What a server sends after its headers."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


def answered(text: str, ask: Callable[[Wire], Awaitable[object]]) -> object:
    """Ask a server that answers everything with this text."""

    async def asked() -> object:
        wire = Wire("scripted", "http://127.0.0.1:1/v1", remote=False)
        transport = httpx2.MockTransport(lambda _: httpx2.Response(200, stream=Body(in_pieces(as_bytes(text)))))
        wire._client = httpx2.AsyncClient(transport=transport, verify=False)
        async with wire._client:
            return await ask(wire)

    return asyncio.run(asked())


@parser(
    "listing of OpenAI's protocol",
    '{"data": [{"id": "llama3", "meta": {"n_ctx_train": 8192}, "max_model_len": 4096}]}',
    '[{"id": "m", "context_length": 3}]',
    '{"tokens": [1, 2], "default_generation_settings": {"n_ctx": 512}}',
)
def openai_listing(text: str, folder: Path) -> None:
    async def ask(wire: Wire) -> None:
        backend = OpenAIBackend(wire, remote=False, has_tokenizer=True)
        await backend.list_models()
        await backend.context_window("llama3")
        await backend.count_tokens("some text")

    answered(text, ask)


@parser("listing of Anthropic", '{"data": [{"id": "claude-sonnet-4-5", "type": "model"}], "has_more": false}')
def anthropic_listing(text: str, folder: Path) -> None:
    answered(text, lambda wire: AnthropicBackend(wire, remote=True).list_models())


@parser(
    "listing of Ollama",
    '{"models": [{"name": "llama3:latest", "context_length": 4096, "details": {"family": "llama"}}]}',
    '{"parameters": "num_ctx 4096\\nstop x", "model_info": {"llama.context_length": 8192}}',
)
def ollama_listing(text: str, folder: Path) -> None:
    async def ask(wire: Wire) -> None:
        backend = OllamaBackend(wire, wire, remote=False)
        await backend.list_models()
        await backend.context_window("llama3")

    answered(text, ask)


@parser(
    "embeddings",
    '{"data": [{"index": 0, "embedding": [0.1, 0.2]}, {"index": 1, "embedding": [0.3, 0.4]}]}',
    '{"embeddings": [[0.1, 0.2], [0.3, 0.4]]}',
)
def embeddings(text: str, folder: Path) -> None:
    async def ask(wire: Wire) -> None:
        ways = (openai_embeddings, ollama_embeddings)
        vectors = await ways["data" not in text](wire, ["a", "b"], "m")
        assert len({len(vector) for vector in vectors}) == 1

    answered(text, ask)


@parser(
    "error of a provider",
    '{"error": {"message": "maximum context length is 4096 tokens", "code": "context_length_exceeded"}}',
    '{"detail": [{"msg": "model not found"}]}',
    "<html>Bad Gateway</html>",
    "try again in 3 s: exceeded your current quota",
    largest=20_000,
)
def provider_error(text: str, folder: Path) -> None:
    body = as_bytes(text)
    for status in (302, 400, 404, 429, 500):
        headers = {"retry-after": text[:40], "location": text[:40]}
        check_words(failure("scripted", status, body, headers))
    try:
        error = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return
    failure_in_stream("scripted", error)


RESULT = '{"content": [{"type": "text", "text": "hi"}, {"type": "image", "data": "aGk=", "mimeType": "image/png"}]}'


@parser("MCP message", '{"jsonrpc": "2.0", "id": 1, "result": {"tools": []}}', '{"jsonrpc": "2.0", "method": "x"}')
def mcp_message(text: str, folder: Path) -> None:
    try:
        jsonrpc_message_adapter.validate_json(as_bytes(text), by_name=False)
    except ValueError:
        pass


@parser("MCP result", RESULT, '{"content": [], "structuredContent": {"a": [1]}, "isError": true}')
def mcp_result(text: str, folder: Path) -> None:
    try:
        result = CallToolResult.model_validate_json(as_bytes(text))
    except ValidationError:
        return
    assert "\x1b" not in text_of(result)
    shortened(result.structured_content)


@parser(
    "MCP tool", '{"name": "read", "description": "Reads.", "inputSchema": {"type": "object", "properties": {"a": {}}}}'
)
def mcp_tool(text: str, folder: Path) -> None:
    try:
        tool = Tool.model_validate_json(as_bytes(text))
    except ValidationError:
        return
    spec = spec_of(tool_name("files", tool.name, set()), "files", tool)
    assert spec is None or "\x1b" not in spec.description
