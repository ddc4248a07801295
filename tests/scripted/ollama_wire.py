"""Ollama's own chat protocol: one JSON object on each line, tool calls whole, `done` at the end."""

from typing import Any

from .known_errors import ollama_model_not_found, openai_unauthorized
from .replies import Reply, pieces
from .request import Request
from .wires import Frames, Wire, as_error, dump, parsed_arguments

CREATED_AT = "2025-10-09T08:53:20.000000Z"


def frames(reply: Reply, request: Request) -> Frames:
    def line(*, done: bool = False, **message: Any) -> dict[str, Any]:
        said = {"role": "assistant", "content": ""} | message
        return {"model": request.model, "created_at": CREATED_AT, "message": said, "done": done}

    content = [line(thinking=piece) for piece in pieces(reply.reasoning, 12)]
    content += [line(content=delta) for delta in reply.deltas]
    if reply.tool_calls:
        content.append(line(tool_calls=_calls(reply)))
    return Frames(
        opening=(),
        content=tuple(dump(item) + b"\n" for item in content),
        ending=(dump(line(done=True) | _summary(reply, request)) + b"\n",),
    )


def whole(reply: Reply, request: Request, finished: bool = True) -> dict[str, Any]:  # noqa: FBT001
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["thinking"] = reply.reasoning
    if reply.tool_calls:
        message["tool_calls"] = _calls(reply)
    body = {"model": request.model, "created_at": CREATED_AT, "message": message, "done": finished}
    return body | (_summary(reply, request) if finished else {})


def _calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {"function": {"name": call.name, "arguments": parsed_arguments(call.arguments)}} for call in reply.tool_calls
    ]


def _summary(reply: Reply, request: Request) -> dict[str, Any]:
    """What comes with `done`; Ollama says `stop` after tool calls too."""
    reason = "stop" if reply.finish_reason == "tool_calls" else reply.finish_reason
    summary: dict[str, Any] = {"done_reason": reason, "total_duration": 1_000_000, "load_duration": 1_000}
    if (tokens := reply.tokens(request.conversation)) is not None:
        summary |= {"prompt_eval_count": tokens[0], "eval_count": tokens[1], "eval_duration": 900_000}
    return summary


WIRE = Wire(
    stream_type="application/x-ndjson",
    frames=frames,
    whole=whole,
    error_frame=lambda error: dump(as_error(error)) + b"\n",
    unauthorized=openai_unauthorized,
    unknown_model=lambda model: ollama_model_not_found(model, native=True),
)
