"""A plain client of the scripted server: what it asks, and how it reads what comes back."""

import json
from typing import Any

CHATS = ("/v1/chat/completions", "/v1/messages", "/api/chat")
HELLO: dict[str, Any] = {"model": "llama3:latest", "messages": [{"role": "user", "content": "hello"}]}
STREAMED = HELLO | {"stream": True}


def events(body: str) -> list[Any]:
    """The data of each event of a stream, in either form; `[DONE]` stays a string."""
    data = [line.removeprefix("data: ") for line in body.splitlines() if line and not line.startswith("event:")]
    return [line if line == "[DONE]" else json.loads(line) for line in data]


def text_of(body: str) -> str:
    """What the model said, whichever protocol the stream is in."""
    return "".join(_delta_text(event) for event in events(body) if isinstance(event, dict))


def _delta_text(event: dict[str, Any]) -> str:
    if "message" in event and "done" in event:
        return str(event["message"]["content"])
    if event.get("choices"):
        return event["choices"][0]["delta"].get("content") or ""
    return str(event.get("delta", {}).get("text", ""))
