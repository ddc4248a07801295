"""What a scripted model says: the words, how they are cut on the wire, and what comes along with them."""

import re
from dataclasses import dataclass
from typing import Literal

COUNTED: Literal["counted"] = "counted"


def count_tokens(text: str) -> int:
    """The server's own tokenizer: four characters are one token."""
    return (len(text) + 3) // 4


def pieces(text: str, size: int | None) -> tuple[str, ...]:
    """The text in pieces of `size` characters; in one piece when there is no size."""
    if size is None:
        return (text,)
    return tuple(text[start : start + size] for start in range(0, len(text), size))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model wants: `arguments` is JSON text, well-formed or not, sent as it is."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Reply:
    """One whole answer of the model. `Reply("Hello there")` is the usual way to make one."""

    text: str = ""
    deltas: tuple[str, ...] = ()
    """The pieces the text is streamed in; word by word when left out."""
    reasoning: str = ""
    reasoning_field: str = "reasoning_content"
    """Its name for OpenAI: `reasoning_content` (DeepSeek, llama.cpp) or `reasoning` (OpenRouter, Ollama)."""
    tool_calls: tuple[ToolCall, ...] = ()
    argument_piece: int | None = 8
    """Characters of tool arguments in a chunk; None sends each call whole, as Ollama does."""
    usage: tuple[int, int] | Literal["counted"] | None = COUNTED
    """(prompt, completion) tokens; None keeps silent about them."""
    logprobs: tuple[float, ...] | None = None
    """One for each delta; sent when the request asks for them."""
    finish_reason: str = ""
    """In OpenAI's words; worked out when empty: `tool_calls` with tools, else `stop`."""
    cut_every: int | None = None
    """Bytes in a chunk: cuts the wire inside characters, escapes and event lines."""
    delay: float = 0.0
    """Seconds before each chunk after the first."""

    def __post_init__(self) -> None:
        if self.deltas and self.text not in ("", "".join(self.deltas)):
            raise ValueError("give a Reply its text or its deltas, not two different ones")
        if not self.deltas:
            object.__setattr__(self, "deltas", tuple(re.findall(r"\s*\S+|\s+$", self.text)))
        object.__setattr__(self, "text", "".join(self.deltas))
        if not self.finish_reason:
            object.__setattr__(self, "finish_reason", "tool_calls" if self.tool_calls else "stop")
        if self.logprobs is not None and len(self.logprobs) != len(self.deltas):
            raise ValueError(f"{len(self.logprobs)} logprobs for {len(self.deltas)} deltas: {self.deltas}")

    def tokens(self, prompt: str) -> tuple[int, int] | None:
        """What to report as used for this prompt."""
        if self.usage == COUNTED:
            said = self.reasoning + self.text + "".join(call.arguments for call in self.tool_calls)
            return count_tokens(prompt), count_tokens(said)
        return self.usage
