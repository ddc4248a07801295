"""What is said to a model and what comes back, in no provider's dialect."""

from collections.abc import AsyncGenerator, Mapping
from typing import Any, Literal, Protocol, Self

import msgspec

Role = Literal["system", "user", "assistant", "tool"]
MOST_TOKENS = 10**12
"""More than any answer can have cost."""


class Image(msgspec.Struct, frozen=True):
    """A picture that goes with a message."""

    media_type: str
    data: bytes
    name: str


class ToolCall(msgspec.Struct, frozen=True):
    """A tool the model asks for, whole: its arguments are the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: Role
    text: str
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    """On a `tool` message: the call it answers."""


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool offered to the model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class Request(msgspec.Struct, frozen=True):
    """Everything a model is asked with. What is None is left to the backend's own default."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    """A JSON schema the answer is held to."""
    logprobs: bool = False


class Text(msgspec.Struct, frozen=True):
    """A piece of the answer, with its tokens' log-probabilities where they were asked for."""

    text: str
    logprobs: tuple[float, ...] = ()


class Reasoning(msgspec.Struct, frozen=True):
    """A piece of what the model thinks aloud."""

    text: str


class Usage(msgspec.Struct, frozen=True):
    """The backend's own token counts."""

    prompt_tokens: int
    completion_tokens: int

    @classmethod
    def told(cls, prompt: int | None, completion: int | None) -> Self:
        """As a server tells it; a number that cannot be a count of tokens counts as none."""
        return cls(*(told if told is not None and 0 <= told <= MOST_TOKENS else 0 for told in (prompt, completion)))


class Finish(msgspec.Struct, frozen=True):
    """The answer is complete: `stop`, `length`, `tool_calls`, …"""

    reason: str


class Retrying(msgspec.Struct, frozen=True):
    """Nothing has been said yet and the call is tried again after a pause."""

    problem: str
    seconds: float
    attempt: int

    @property
    def sentence(self) -> str:
        return f"{self.problem}; trying again in {self.seconds:.1f} s"


Delta = Text | Reasoning | ToolCall | Usage | Finish | Retrying


class ChatModel(Protocol):
    """One model, ready to be asked. Every await inside `stream` can be cancelled."""

    @property
    def model(self) -> str:
        """The name the backend knows it by."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        """The answer, piece by piece; raises a `ModelError` if it cannot be had whole."""
        ...
