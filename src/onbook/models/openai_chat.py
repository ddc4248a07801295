"""OpenAI-compatible chat completions: the protocol of Ollama, llama.cpp, vLLM, LM Studio, OpenRouter and more."""

from collections.abc import AsyncGenerator, Iterable, Iterator
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


class OpenAIChat:
    """One model behind an OpenAI-compatible endpoint."""

    def __init__(self, wire: Wire, model: str) -> None:
        self._wire = wire
        self.model = model

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        body = request_body(self.model, request)
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
        said["content"] = [{"type": "text", "text": message.text}, *map(_image, message.images)]
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
    index: int = 0
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    reasoning: str | dict[str, Any] | None = None
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
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None


_decode_chunk = msgspec.json.Decoder(_Chunk).decode


class ChunkReader:
    """Turns the data of each event into deltas, and knows whether the answer was finished."""

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._thinking = ThinkSplitter()
        self._calls: dict[int, _CallPiece] = {}
        self.finished = False

    def read(self, data: bytes) -> Iterable[Delta]:
        if data == b"[DONE]":
            self.finished = True
            return ()
        try:
            chunk = _decode_chunk(data)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise MalformedStream(self._backend, f"a chunk is not what it should be: {error}") from None
        if chunk.error:
            raise failure_in_stream(self._backend, chunk.error)
        return self._deltas(chunk)

    def close(self) -> Iterable[Delta]:
        return self._thinking.flush()

    def _deltas(self, chunk: _Chunk) -> Iterator[Delta]:
        for choice in chunk.choices or ():
            if choice.delta is not None:
                yield from self._spoken(choice.delta, choice.logprobs)
            if choice.finish_reason is not None:
                self.finished = True
                yield from self._thinking.flush()
                yield from self._whole_calls()
                yield Finish(choice.finish_reason)
        if chunk.usage is not None:
            yield Usage(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)

    def _spoken(self, delta: _Delta, logprobs: _Logprobs | None) -> Iterator[Delta]:
        if delta.reasoning_content or delta.reasoning:
            yield from _thought(delta.reasoning_content or delta.reasoning)
        if isinstance(delta.content, list):
            yield from _parts(delta.content)
        elif delta.content:
            tokens = tuple(token.logprob for token in logprobs.content or ()) if logprobs else ()
            yield from self._thinking.feed(delta.content, tokens)
        for piece in delta.tool_calls or ():
            self._collect(piece)

    def _collect(self, piece: _CallPiece) -> None:
        call = self._calls.setdefault(piece.index, _CallPiece(piece.index, function=_Function("", "")))
        assert call.function is not None  # noqa: S101 - made just above
        call.id = call.id or piece.id
        if piece.function:
            call.function.name = (call.function.name or "") + (piece.function.name or "")
            call.function.arguments = (call.function.arguments or "") + (piece.function.arguments or "")

    def _whole_calls(self) -> Iterator[ToolCall]:
        for index, call in sorted(self._calls.items()):
            function = call.function or _Function()
            yield ToolCall(call.id or f"call_{index}", function.name or "", function.arguments or "{}")
        self._calls.clear()


def _thought(reasoning: str | dict[str, Any] | None) -> Iterator[Reasoning]:
    """Reasoning as plain text, or wrapped in an object as any-llm hands it over."""
    text = reasoning.get("content") if isinstance(reasoning, dict) else reasoning
    if text:
        yield Reasoning(str(text))


def _parts(parts: list[dict[str, Any]]) -> Iterator[Delta]:
    """Content in typed parts, as Mistral's reasoning models send it."""
    for part in parts:
        if part.get("type") == "thinking":
            yield from (Reasoning(str(piece.get("text", ""))) for piece in part.get("thinking", ()))
        elif part.get("type") == "text":
            yield Text(str(part.get("text", "")))
