"""Anthropic's Messages API."""

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from onbook.models.errors import MalformedStream
from onbook.models.failures import failure_in_stream
from onbook.models.http import Wire
from onbook.models.messages import Delta, Finish, Message, Reasoning, Request, Text, ToolCall, Usage
from onbook.models.streaming import stream_answer
from onbook.models.thinking import ThinkSplitter

VERSION = "2023-06-01"
MAX_TOKENS = 8192
"""This protocol demands a limit; every model it serves can say this much."""
_ANSWER = "answer"
"""The tool a schema-bound answer is given through: this API has no other way to hold a reply to a schema."""
_FINISH_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
}


class AnthropicMessages:
    """One model behind Anthropic's API."""

    def __init__(self, wire: Wire, model: str) -> None:
        self._wire = wire
        self.model = model

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        body = request_body(self.model, request)
        schema_bound = request.schema is not None
        return stream_answer(
            self._wire, "/v1/messages", body, lambda: EventReader(self._wire.name, schema_bound=schema_bound)
        )


def request_body(model: str, request: Request) -> dict[str, Any]:
    """The request in this protocol's words: the system prompt apart, tool results as the user's."""
    body: dict[str, Any] = {
        "model": model,
        "messages": _turns([message for message in request.messages if message.role != "system"]),
        "max_tokens": request.max_tokens or MAX_TOKENS,
        "stream": True,
    }
    system = "\n\n".join(message.text for message in request.messages if message.role == "system")
    optional = {
        "system": system or None,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "stop_sequences": list(request.stop) or None,
        "tools": [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        or None,
    }
    body |= {key: value for key, value in optional.items() if value is not None}
    if request.schema is not None:
        answer = {"name": _ANSWER, "description": "Give the answer.", "input_schema": request.schema}
        body["tools"] = [*body.get("tools", ()), answer]
        body["tool_choice"] = {"type": "tool", "name": _ANSWER}
    return body


def _turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages with neighbours of one role merged: this API refuses two in a row, and empty ones."""
    said = [(("user" if message.role == "tool" else message.role), list(_blocks(message))) for message in messages]
    return [
        {"role": role, "content": [block for _, blocks in group for block in blocks]}
        for role, group in groupby((turn for turn in said if turn[1]), lambda turn: turn[0])
    ]


def _blocks(message: Message) -> Iterator[dict[str, Any]]:
    if message.tool_call_id is not None:
        yield {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text}
        return
    for image in message.images:
        from base64 import b64encode

        source = {"type": "base64", "media_type": image.media_type, "data": b64encode(image.data).decode()}
        yield {"type": "image", "source": source}
    if message.text.strip():
        yield {"type": "text", "text": message.text}
    for call in message.tool_calls:
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call)}


def _arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments as the object this API wants, even where the model did not write one."""
    try:
        return msgspec.json.decode(call.arguments or "{}", type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {"malformed": call.arguments}


class _Block(msgspec.Struct):
    type: str = ""
    id: str = ""
    name: str = ""
    input: Any = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _MessageHead(msgspec.Struct):
    usage: _Usage | None = None


class _Delta(msgspec.Struct):
    type: str = ""
    text: str = ""
    thinking: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Event(msgspec.Struct):
    type: str = ""
    message: _MessageHead | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None
    error: Any = None


_decode_event = msgspec.json.Decoder(_Event).decode


class EventReader:
    """Turns each event into deltas, and knows whether the message was stopped on purpose."""

    def __init__(self, backend: str, *, schema_bound: bool) -> None:
        self._backend = backend
        self._schema_bound = schema_bound
        self._thinking = ThinkSplitter()
        self._block = _Block()
        self._written: list[str] = []
        self._prompt_tokens = 0
        self.finished = False

    def read(self, data: bytes) -> Iterable[Delta]:
        try:
            event = _decode_event(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise MalformedStream(self._backend, f"an event is not what it should be: {error}") from None
        if event.type == "content_block_delta" and event.delta:
            return self._spoken(event.delta)
        if event.type == "content_block_start" and event.content_block:
            self._block, self._written = event.content_block, []
        elif event.type == "content_block_stop":
            return self._whole_block()
        elif event.type == "message_start" and event.message and event.message.usage:
            self._prompt_tokens = _prompt_tokens(event.message.usage)
        elif event.type == "message_delta":
            return self._ending(event)
        elif event.type == "message_stop":
            self.finished = True
        elif event.type == "error":
            raise failure_in_stream(self._backend, event.error)
        return ()

    def close(self) -> Iterable[Delta]:
        return self._thinking.flush()

    def _spoken(self, delta: _Delta) -> Iterator[Delta]:
        if delta.text:
            yield from self._thinking.feed(delta.text)
        elif delta.thinking:
            yield Reasoning(delta.thinking)
        elif delta.partial_json:
            self._written.append(delta.partial_json)
            if self._gives_answer():
                yield Text(delta.partial_json)

    def _whole_block(self) -> Iterator[Delta]:
        yield from self._thinking.flush()
        if self._block.type == "tool_use":
            whole = "".join(self._written) or msgspec.json.encode(self._block.input or {}).decode()
            if not self._gives_answer():
                yield ToolCall(self._block.id, self._block.name, whole)
            elif not self._written:
                yield Text(whole)
        self._block = _Block()

    def _gives_answer(self) -> bool:
        return self._schema_bound and self._block.name == _ANSWER

    def _ending(self, event: _Event) -> Iterator[Delta]:
        if event.delta and event.delta.stop_reason:
            yield from self._thinking.flush()
            reason = _FINISH_REASONS.get(event.delta.stop_reason, event.delta.stop_reason)
            yield Finish("stop" if self._schema_bound and reason == "tool_calls" else reason)
        if event.usage:
            prompt = _prompt_tokens(event.usage) or self._prompt_tokens
            yield Usage.told(prompt, event.usage.output_tokens)


def _prompt_tokens(usage: _Usage) -> int:
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    return (usage.input_tokens or 0) + cached
