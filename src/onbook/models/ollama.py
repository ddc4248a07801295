"""Ollama: its native API tells what it has and how much each model reads; talking goes over its OpenAI port."""

import asyncio
from collections.abc import Mapping
from typing import Any

from onbook.models.errors import ModelError
from onbook.models.http import Wire
from onbook.models.messages import ChatModel
from onbook.models.openai_chat import OpenAIChat

DEFAULT_URL = "http://127.0.0.1:11434"
REACHABLE_SECONDS = 0.5
"""A local server answers at once or is not there; nobody should wait for the difference."""


class OllamaBackend:
    """An Ollama server, here or elsewhere."""

    def __init__(self, wire: Wire, chat_wire: Wire, *, remote: bool) -> None:
        self.name = wire.name
        self.remote = remote
        self._wire = wire
        self._chat_wire = chat_wire

    async def open(self, model: str) -> ChatModel:
        return OpenAIChat(self._chat_wire, model)

    async def list_models(self) -> tuple[str, ...] | None:
        listing = await self._wire.ask("/api/tags")
        return tuple(str(entry["name"]) for entry in listing.get("models") or ())

    async def context_window(self, model: str) -> int | None:
        """What the model runs with if it is loaded, else what its file asks for, else what it was built for."""
        try:
            running = await self._wire.ask("/api/ps")
            for entry in running.get("models") or ():
                if entry.get("name") == model and isinstance(entry.get("context_length"), int):
                    return int(entry["context_length"])
            return _window_shown(await self._wire.ask("/api/show", {"model": model}))
        except ModelError:
            return None

    async def count_tokens(self, text: str) -> int | None:  # noqa: ARG002 - Ollama has no tokenizer to offer
        return None

    async def reachable(self) -> bool:
        try:
            async with asyncio.timeout(REACHABLE_SECONDS):
                await self._wire.ask("/api/version")
        except (ModelError, TimeoutError):
            return False
        return True

    async def aclose(self) -> None:
        await self._wire.aclose()
        await self._chat_wire.aclose()


def local_address(environ: Mapping[str, str]) -> str:
    """Where the local Ollama listens: `OLLAMA_HOST` in any of the forms Ollama itself takes, or its default."""
    host = environ.get("OLLAMA_HOST", "").strip()
    if not host:
        return DEFAULT_URL
    if "://" not in host:
        host = "http://" + host
    scheme, _, rest = host.partition("://")
    authority = rest.split("/", 1)[0].replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - a client cannot connect to it
    if not authority.rpartition(":")[2].isdigit():
        authority = (authority.rstrip(":") or "127.0.0.1") + ":11434"
    elif authority.startswith(":"):
        authority = "127.0.0.1" + authority
    return f"{scheme}://{authority}"


def _window_shown(shown: dict[str, Any]) -> int | None:
    for line in str(shown.get("parameters") or "").splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and value.strip().isdigit():
            return int(value)
    for field, value in (shown.get("model_info") or {}).items():
        if field.endswith(".context_length") and isinstance(value, int):
            return value
    return None
