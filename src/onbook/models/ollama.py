"""Ollama: its native API tells what it has and how much each model reads; talking goes over its OpenAI port."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from onbook.models.embeddings import Vector, ollama_embeddings
from onbook.models.errors import ModelError
from onbook.models.http import Wire
from onbook.models.messages import ChatModel
from onbook.models.openai_chat import OpenAIChat

PORT = 11434
REACHABLE_SECONDS = 0.5
"""A local server answers at once or is not there; nobody should wait for the difference."""


class OllamaBackend:
    """An Ollama server, here or elsewhere."""

    loads_on_demand = True
    calls_tools = True
    holds_schema = True
    gives_logprobs = True

    def __init__(self, wire: Wire, chat_wire: Wire, *, remote: bool) -> None:
        self.name = wire.name
        self.remote = remote
        self._wire = wire
        self._chat_wire = chat_wire

    async def open(self, model: str) -> ChatModel:
        return OpenAIChat(self._chat_wire, model)

    async def list_models(self) -> tuple[str, ...] | None:
        """What was used last comes first; models that only embed cannot answer and come last."""
        entries = _models(await self._wire.ask("/api/tags"))
        return tuple(str(entry["name"]) for entry in sorted(entries, key=_only_embeds))

    async def context_window(self, model: str) -> int | None:
        """What the model runs with if it is loaded, else what its file asks for, else what it was built for."""
        try:
            wanted = (model.casefold(), model.casefold() + ":latest")
            for entry in _models(await self._wire.ask("/api/ps")):
                if str(entry["name"]).casefold() in wanted and isinstance(entry.get("context_length"), int):
                    return int(entry["context_length"])
            return _window_shown(await self._wire.ask("/api/show", {"model": model}))
        except ModelError:
            return None

    async def count_tokens(self, text: str) -> int | None:  # noqa: ARG002 - Ollama has no tokenizer to offer
        return None

    async def embed(self, texts: Sequence[str], model: str) -> list[Vector]:
        return await ollama_embeddings(self._wire, texts, model)

    async def reachable(self) -> bool:
        self._wire.client()  # importing it must not count against the server
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
    given = environ.get("OLLAMA_HOST", "").strip().strip("\"'")
    scheme, found, rest = given.partition("://")
    if not found:
        scheme, rest = "http", given
    default_port = {"http": 80, "https": 443}.get(scheme, PORT) if found else PORT
    authority, slash, path = rest.partition("/")
    host, port = _host_and_port(authority)
    base = f"{scheme}://{_REACHED_AT.get(host, host)}:{port or default_port}"
    return base + (slash + path).rstrip("/")


_REACHED_AT = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - called, not bound
"""Addresses a server listens at and no client can connect to."""


_SIZE = re.compile(r"[0-9]{1,15}")
_AUTHORITY = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([^:]*))?")


def _host_and_port(authority: str) -> tuple[str, int | None]:
    """A bare IPv6 address gets its brackets; what is no port is left out, as Ollama does."""
    found = _AUTHORITY.fullmatch(authority)
    if found is None:
        return f"[{authority}]", None
    port = found[2] or ""
    return found[1], int(port) if port.isascii() and port.isdigit() and int(port[:6]) <= 65535 else None


def _models(listing: Any) -> list[dict[str, Any]]:
    entries = listing.get("models") if isinstance(listing, dict) else None
    if not isinstance(entries, list):
        return []
    return [entry for entry in entries if isinstance(entry, dict) and "name" in entry]


def _only_embeds(entry: dict[str, Any]) -> bool:
    details = entry.get("details")
    family = str(details.get("family")) if isinstance(details, dict) else ""
    return "bert" in family or "embed" in str(entry["name"])


def _window_shown(shown: Any) -> int | None:
    if not isinstance(shown, dict):
        return None
    for line in str(shown.get("parameters") or "").splitlines():
        name, _, value = line.strip().partition(" ")
        if name == "num_ctx" and _SIZE.fullmatch(value.strip()):
            return int(value)
    info = shown.get("model_info")
    for field, value in info.items() if isinstance(info, dict) else ():
        if field.endswith(".context_length") and isinstance(value, int):
            return value
    return None
