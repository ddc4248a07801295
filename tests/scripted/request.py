"""A request as the server received it, with the questions tests ask of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CHAT_PATHS = ("/v1/chat/completions", "/v1/messages", "/api/chat")


@dataclass(frozen=True, slots=True)
class Request:
    """Header names are in lower case; `body` is the parsed JSON, or None where there was none."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    raw: bytes
    query: str = ""

    @property
    def is_chat(self) -> bool:
        return self.path in CHAT_PATHS

    @property
    def model(self) -> str:
        return str(self._field("model") or self._field("name") or "")

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages = self._field("messages")
        return messages if isinstance(messages, list) else []

    @property
    def last(self) -> str:
        """The text of the last message, whoever said it: what a rule's substring is looked for in."""
        return _text_of(self.messages[-1].get("content")) if self.messages else ""

    @property
    def said(self) -> str:
        """The last thing the user said."""
        said = [text for role, text in self._turns() if role == "user" and text]
        return said[-1] if said else ""

    @property
    def conversation(self) -> str:
        """Everything sent to the model, instructions included."""
        turns = "\n".join(text for _, text in self._turns())
        return "\n".join(part for part in (_text_of(self._field("system")), turns) if part)

    @property
    def streams(self) -> bool:
        """Ollama's own chat streams unless told not to; the others only when told to."""
        return bool(self._field("stream", self.path == "/api/chat"))

    @property
    def key(self) -> str:
        """The API key that came along, in either of the two headers used for it."""
        bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.headers.get("x-api-key", bearer)

    def _field(self, name: str, default: Any = None) -> Any:
        return self.body.get(name, default) if isinstance(self.body, dict) else default

    def _turns(self) -> list[tuple[str, str]]:
        return [(str(message.get("role")), _text_of(message.get("content"))) for message in self.messages]


def _text_of(content: Any) -> str:
    """The text of a content: a string, or a list of blocks (Anthropic's tool results nest once more)."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(
        block if isinstance(block, str) else _text_of(block.get("text", block.get("content"))) for block in content
    )
