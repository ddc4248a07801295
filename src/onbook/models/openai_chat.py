"""OpenAI-compatible chat completions: the protocol of Ollama, llama.cpp, vLLM, LM Studio, OpenRouter and more."""

from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from onbook.models.errors import MalformedStream
from onbook.models.failures import failure_in_stream
from onbook.models.http import Wire
from onbook.models.messages import (
    Delta,
    Finish,
    Image,
    Message,
    Reasoning,
    Request,
    Text,
    ToolCall,
    ToolSpec,
    Usage,
)
from onbook.models.streaming import stream_answer
from onbook.models.thinking import ThinkSplitter

OPENAI = "https://api.openai.com/v1"
"""Its newer models refuse `max_tokens`, which is the only name that most other servers know."""


class OpenAIChat:
    """One model behind an OpenAI-compatible endpoint."""

    def __init__(self, wire: Wire, model: str, besides: Mapping[str, Any] | None = None) -> None:
        """`besides` is what this server takes beyond the protocol."""
        self._wire = wire
        self.model = model
        self._besides = besides or {}

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        body = {**self._besides, **request_body(self.model, request)}
        if "max_tokens" in body and self._wire.base_url == OPENAI:
            body["max_completion_tokens"] = body.pop("max_tokens")
        return stream_answer(self._wire, "/chat/completions", body, lambda: ChunkReader(self._wire.name))


def request_body(model: str, request: Request) -> dict[str, Any]:
    """The request in this protocol's words; what nobody set is not sent."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in request.messages],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    optional = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "seed": request.seed,
        "max_tokens": request.max_tokens,
        "stop": list(request.stop) or None,
        "logprobs": request.logprobs or None,
        "tools": [_tool(tool) for tool in request.tools] or None,
    }
    body |= {key: value for key, value in optional.items() if value is not None}
    if request.schema is not None:
        schema = {"name": "answer", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.images:
        text = [{"type": "text", "text": message.text}] if message.text else []
        said["content"] = [*text, *map(_image, message.images)]
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    return said


def _image(image: Image) -> dict[str, Any]:
    from base64 import b64encode

    url = f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _CallPiece(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    reasoning: str | dict[str, Any] | None = None
    refusal: str | None = None
    tool_calls: list[_CallPiece] | None = None


class _Logprob(msgspec.Struct):
    logprob: float


class _Logprobs(msgspec.Struct):
    content: list[_Logprob] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


_decode_chunk = msgspec.json.Decoder(_Chunk).decode


class _Call(msgspec.Struct):
    """A tool call while its pieces come in."""

    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = []


class ChunkReader:
    """Turns the data of each event into deltas, and knows whether the answer was finished."""

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._thinking = ThinkSplitter()
        self._calls: list[_Call] = []
        self._reason = ""
        self.finished = False

    def read(self, data: bytes) -> Iterable[Delta]:
        if data == b"[DONE]":
            self.finished = True
            return ()
        try:
            chunk = _decode_chunk(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedStream(self._backend, f"a chunk is not what it should be: {error}") from None
        if chunk.error:
            raise failure_in_stream(self._backend, chunk.error)
        return self._deltas(chunk)

    def close(self) -> Iterable[Delta]:
        """What is left when the stream has ended: all of it, where `[DONE]` was the only finish marker."""
        yield from self._thinking.flush()
        calls = list(self._whole_calls())
        yield from calls
        if not self._reason:
            yield Finish("tool_calls" if calls else "stop")

    def _deltas(self, chunk: _Chunk) -> Iterator[Delta]:
        for choice in chunk.choices or ():
            if choice.delta is not None:
                yield from self._spoken(choice.delta, choice.logprobs)
            if choice.finish_reason:  # some servers send an empty one with every chunk, some the real one twice
                self.finished = True
                yield from self._thinking.flush()
                yield from self._whole_calls()
                if not self._reason:
                    self._reason = choice.finish_reason
                    yield Finish(choice.finish_reason)
        if chunk.usage is not None:
            yield Usage.told(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)

    def _spoken(self, delta: _Delta, logprobs: _Logprobs | None) -> Iterator[Delta]:
        if delta.reasoning_content or delta.reasoning:
            yield from _thought(delta.reasoning_content or delta.reasoning)
        if isinstance(delta.content, list):
            yield from _parts(delta.content)
        elif delta.content:
            tokens = tuple(token.logprob for token in logprobs.content or ()) if logprobs else ()
            yield from self._thinking.feed(delta.content, tokens)
        if delta.refusal:
            yield Text(delta.refusal)
        for piece in delta.tool_calls or ():
            self._collect(piece)

    def _collect(self, piece: _CallPiece) -> None:
        call = self._call_of(piece)
        if piece.id:
            call.id = piece.id
        if piece.function:
            call.name += piece.function.name or ""
            call.arguments.append(piece.function.arguments or "")

    def _call_of(self, piece: _CallPiece) -> _Call:
        """The call a piece belongs to. A new id begins a new call: some servers give all of them one index."""
        for call in reversed(self._calls):
            if piece.index in (None, call.index):
                if piece.id and call.id and piece.id != call.id:
                    break
                return call
        self._calls.append(_Call(piece.index))
        return self._calls[-1]

    def _whole_calls(self) -> Iterator[ToolCall]:
        calls, self._calls = self._calls, []
        for place, call in enumerate(sorted(calls, key=lambda call: call.index or 0)):
            yield ToolCall(call.id or f"call_{place}", call.name, "".join(call.arguments) or "{}")


def _thought(reasoning: str | dict[str, Any] | None) -> Iterator[Reasoning]:
    """Reasoning as plain text, or wrapped in an object as any-llm hands it over."""
    text = reasoning.get("content") if isinstance(reasoning, dict) else reasoning
    if text:
        yield Reasoning(str(text))


def _parts(parts: list[dict[str, Any]]) -> Iterator[Delta]:
    """Content in typed parts, as Mistral's reasoning models send it."""
    for part in parts:
        if part.get("type") == "thinking":
            thought = part.get("thinking")
            pieces = [piece for piece in thought if isinstance(piece, dict)] if isinstance(thought, list) else ()
            yield from (Reasoning(str(piece.get("text", ""))) for piece in pieces)
        elif part.get("type") == "text":
            yield Text(str(part.get("text", "")))
