"""How full the model's context is: counted by whoever knows best, with a word before it is too late."""

from collections.abc import Iterable, Sequence

import msgspec

from onbook.models.backend import Backend
from onbook.models.errors import ContextOverflow, ModelError
from onbook.models.messages import Message, Request, ToolSpec, Usage
from onbook.models.tokens import estimate_prompt, estimate_tokens

NEARLY_FULL = 0.80
MOST_TOKENS = 1 << 31
"""Nobody uses as many in one exchange: a server that says so has not counted."""


class Used(msgspec.Struct, frozen=True):
    """Tokens of one exchange, and whether they are only our estimate."""

    prompt: int
    completion: int
    estimated: bool


async def used_tokens(usage: Usage | None, messages: Sequence[Message], reply: str, backend: Backend) -> Used:
    """The backend's own count, else its tokenizer's, else an estimate."""
    if usage is not None and _is_a_count(usage):
        return Used(usage.prompt_tokens, usage.completion_tokens, estimated=False)
    try:
        prompt = await backend.count_tokens("\n".join(message.text for message in messages))
        completion = await backend.count_tokens(reply)
    except ModelError:
        prompt = completion = None
    if prompt is not None and completion is not None:
        return Used(prompt, completion, estimated=False)
    return Used(estimate_prompt(messages), estimate_tokens(reply), estimated=True)


def _is_a_count(usage: Usage) -> bool:
    """Less than nothing would give a budget back what was spent."""
    return 0 < usage.prompt_tokens < MOST_TOKENS and 0 <= usage.completion_tokens < MOST_TOKENS


def context_warning(share: float | None, window: int | None) -> str | None:
    """A line for the user when the window is nearly or quite full."""
    if share is None or share < NEARLY_FULL:
        return None
    if share < 1:
        return f"context {share:.0%} full of {window} tokens; the conversation will not fit much longer"
    return f"context {share:.0%} of {window} tokens: full; the model has lost part of this conversation"


def estimate_request(request: Request) -> int:
    """About how many tokens the whole request is, its tools included."""
    return estimate_prompt(request.messages) + estimate_tools(request.tools)


def estimate_tools(tools: Iterable[ToolSpec]) -> int:
    """About how many tokens it takes to describe the tools."""
    return sum(estimate_tokens(msgspec.json.encode(tool).decode()) for tool in tools)


async def check_fits(request: Request, size: int, window: int | None, backend: Backend, model: str) -> None:
    """ContextOverflow for a request that the model cannot read whole. Many servers would cut it without a word."""
    if window is None or size <= window:
        return
    counted = await backend.count_tokens("\n".join(message.text for message in request.messages))
    if counted is not None and counted <= window:
        return
    about = f"{counted}" if counted is not None else f"about {size}"
    raise ContextOverflow(
        backend.name,
        f"this would be {about} tokens and {model} reads {window}; nothing was sent. "
        "Send less, or make room with /compact or /clear",
    )
