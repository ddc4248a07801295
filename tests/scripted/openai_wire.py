"""The chat completions protocol, as OpenAI, llama.cpp, vLLM, Ollama and OpenRouter serve it."""

from typing import Any

from .known_errors import openai_model_not_found, openai_unauthorized
from .replies import Reply, ToolCall, pieces
from .request import Request
from .wires import Frames, Wire, as_error, dump

CREATED = 1_760_000_000
ID = "chatcmpl-scripted"


def frames(reply: Reply, request: Request) -> Frames:
    def event(delta: dict[str, Any], finish: str | None = None, logprobs: Any = None) -> bytes:
        choice: dict[str, Any] = {"index": 0, "delta": delta, "finish_reason": finish}
        if logprobs is not None:
            choice["logprobs"] = logprobs
        return _data(_chunk(request) | {"choices": [choice]})

    content = [event({reply.reasoning_field: piece}) for piece in pieces(reply.reasoning, 12)]
    content += [
        event({"content": delta}, logprobs=_logprobs(reply, request, slice(place, place + 1)))
        for place, delta in enumerate(reply.deltas)
    ]
    content += [
        event({"tool_calls": [fragment]})
        for place, call in enumerate(reply.tool_calls)
        for fragment in _fragments(place, call, reply.argument_piece)
    ]
    ending = [event({}, reply.finish_reason)]
    if (request.body.get("stream_options") or {}).get("include_usage") and (used := _usage(reply, request)):
        ending.append(_data(_chunk(request) | {"choices": [], "usage": used}))
    return Frames(
        opening=(event({"role": "assistant", "content": ""}),),
        content=tuple(content),
        ending=(*ending, b"data: [DONE]\n\n"),
    )


def whole(reply: Reply, request: Request, finished: bool = True) -> dict[str, Any]:  # noqa: FBT001
    nothing_said = reply.tool_calls and not reply.text
    message: dict[str, Any] = {"role": "assistant", "content": None if nothing_said else reply.text}
    if reply.reasoning:
        message[reply.reasoning_field] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = [_fragments(place, call, None)[0] for place, call in enumerate(reply.tool_calls)]
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "finish_reason": reply.finish_reason if finished else None,
    }
    if (logprobs := _logprobs(reply, request, slice(None))) is not None:
        choice["logprobs"] = logprobs
    body = _chunk(request) | {"object": "chat.completion", "choices": [choice]}
    if used := _usage(reply, request):
        body["usage"] = used
    return body


def _chunk(request: Request) -> dict[str, Any]:
    return {"id": ID, "object": "chat.completion.chunk", "created": CREATED, "model": request.model}


def _fragments(place: int, call: ToolCall, piece: int | None) -> list[dict[str, Any]]:
    """A tool call as it is streamed: its name with empty arguments, then the arguments bit by bit."""
    named = {"index": place, "id": call.id, "type": "function"}
    if piece is None:
        return [named | {"function": {"name": call.name, "arguments": call.arguments}}]
    rest = [{"index": place, "function": {"arguments": part}} for part in pieces(call.arguments, piece)]
    return [named | {"function": {"name": call.name, "arguments": ""}}, *rest]


def _logprobs(reply: Reply, request: Request, part: slice) -> dict[str, Any] | None:
    if reply.logprobs is None or not request.body.get("logprobs"):
        return None
    return {
        "content": [
            {"token": token, "logprob": value, "bytes": list(token.encode()), "top_logprobs": []}
            for token, value in zip(reply.deltas[part], reply.logprobs[part], strict=True)
        ],
        "refusal": None,
    }


def _usage(reply: Reply, request: Request) -> dict[str, int] | None:
    tokens = reply.tokens(request.conversation)
    if tokens is None:
        return None
    prompt, completion = tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def _data(value: Any) -> bytes:
    return b"data: " + dump(value) + b"\n\n"


WIRE = Wire(
    stream_type="text/event-stream; charset=utf-8",
    frames=frames,
    whole=whole,
    error_frame=lambda error: _data(as_error(error)),
    unauthorized=openai_unauthorized,
    unknown_model=openai_model_not_found,
)
