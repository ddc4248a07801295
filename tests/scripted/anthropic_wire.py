"""The Anthropic Messages protocol: named events, blocks of thinking, text and tool use."""

from collections.abc import Iterator
from typing import Any

from .known_errors import anthropic_model_not_found, anthropic_unauthorized
from .replies import Reply, pieces
from .request import Request
from .wires import Frames, Wire, as_error, dump, parsed_arguments

STOP_REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
ID = "msg_scripted"
SIGNATURE = "c2NyaXB0ZWQ="


def frames(reply: Reply, request: Request) -> Frames:
    tokens = reply.tokens(request.conversation)
    message = _message(request) | {"content": []}
    closing: dict[str, Any] = {"delta": {"stop_reason": _stop_reason(reply), "stop_sequence": None}}
    if tokens is not None:
        message["usage"] = {"input_tokens": tokens[0], "output_tokens": 1}
        closing["usage"] = {"output_tokens": tokens[1]}
    return Frames(
        opening=(_event("message_start", message=message), _event("ping")),
        content=tuple(_blocks(reply)),
        ending=(_event("message_delta", **closing), _event("message_stop")),
    )


def whole(reply: Reply, request: Request, finished: bool = True) -> dict[str, Any]:  # noqa: FBT001
    content: list[dict[str, Any]] = []
    if reply.reasoning:
        content.append({"type": "thinking", "thinking": reply.reasoning, "signature": SIGNATURE})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    content += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": parsed_arguments(call.arguments)}
        for call in reply.tool_calls
    ]
    message = _message(request) | {"content": content}
    if finished:
        message["stop_reason"] = _stop_reason(reply)
    if (tokens := reply.tokens(request.conversation)) is not None:
        message["usage"] = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    return message


def _message(request: Request) -> dict[str, Any]:
    return {
        "id": ID,
        "type": "message",
        "role": "assistant",
        "model": request.model,
        "stop_reason": None,
        "stop_sequence": None,
    }


def _blocks(reply: Reply) -> Iterator[bytes]:
    """Starts and stops travel with the first and last delta of a block, so that a chunk is always a delta."""
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if reply.reasoning:
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in pieces(reply.reasoning, 12)]
        signed = {"type": "signature_delta", "signature": SIGNATURE}
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signed]))
    if reply.deltas:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": delta} for delta in reply.deltas]))
    for call in reply.tool_calls:
        parts = ("", *pieces(call.arguments, reply.argument_piece))
        start = {"type": "tool_use", "id": call.id, "name": call.name, "input": {}}
        blocks.append((start, [{"type": "input_json_delta", "partial_json": part} for part in parts]))
    for index, (start, deltas) in enumerate(blocks):
        for place, delta in enumerate(deltas):
            yield b"".join(
                (
                    _event("content_block_start", index=index, content_block=start) if place == 0 else b"",
                    _event("content_block_delta", index=index, delta=delta),
                    _event("content_block_stop", index=index) if place == len(deltas) - 1 else b"",
                )
            )


def _stop_reason(reply: Reply) -> str:
    return STOP_REASONS.get(reply.finish_reason, reply.finish_reason)


def _event(name: str, **fields: Any) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + dump({"type": name} | fields) + b"\n\n"


WIRE = Wire(
    stream_type="text/event-stream; charset=utf-8",
    frames=frames,
    whole=whole,
    error_frame=lambda error: _event("error", error=as_error(error)["error"]),
    unauthorized=anthropic_unauthorized,
    unknown_model=anthropic_model_not_found,
)
