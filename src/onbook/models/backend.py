"""A place where models live: what it has, how much each can read, and how to talk to one."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from onbook.models.anthropic_messages import VERSION, AnthropicMessages
from onbook.models.embeddings import Vector, openai_embeddings
from onbook.models.errors import MalformedStream, ModelError, ModelNotFound, Rejected
from onbook.models.http import Wire
from onbook.models.messages import ChatModel
from onbook.models.openai_chat import OpenAIChat
from onbook.models.windows import known_window


class Backend(Protocol):
    """What the resolver and the session need to know of a backend, whichever protocol it speaks."""

    name: str
    remote: bool
    loads_on_demand: bool
    """Whether a model is loaded by its first question, so that its window is known for sure only afterwards."""
    calls_tools: bool
    """Whether its models may be offered tools; a single model may still turn them down (`ToolsUnsupported`)."""
    holds_schema: bool
    """Whether an answer can be held to a JSON schema without a tool; a server may still turn that down (`Rejected`)."""
    gives_logprobs: bool
    """Whether it may tell how probable each token was; False where it is known not to."""

    async def open(self, model: str) -> ChatModel:
        """The model, ready to be asked."""
        ...

    async def list_models(self) -> tuple[str, ...] | None:
        """The models it really has; None where it cannot say."""
        ...

    async def context_window(self, model: str) -> int | None:
        """How many tokens the model can read; None where nobody knows."""
        ...

    async def count_tokens(self, text: str) -> int | None:
        """The text's size by the backend's own tokenizer; None where it has none to offer."""
        ...

    async def aclose(self) -> None: ...


_WINDOW_FIELDS = (
    "n_ctx",
    "context_length",
    "max_model_len",
    "max_context_length",
    "context_window",
    "n_ctx_train",
)


class OpenAIBackend:
    """Any OpenAI-compatible server. What it tells beyond the protocol (windows, a tokenizer) is used where it is."""

    loads_on_demand = False
    calls_tools = True
    holds_schema = True
    gives_logprobs = True

    def __init__(
        self, wire: Wire, *, remote: bool, has_tokenizer: bool = False, besides: Mapping[str, Any] | None = None
    ) -> None:
        """`besides` goes along with every question to its models."""
        self.name = wire.name
        self.remote = remote
        self._wire = wire
        self._root = wire.base_url.removesuffix("/v1")
        self._has_tokenizer = has_tokenizer
        self._besides = besides

    async def open(self, model: str) -> ChatModel:
        return OpenAIChat(self._wire, model, self._besides)

    async def list_models(self) -> tuple[str, ...] | None:
        entries = await self._entries()
        return None if entries is None else tuple(str(entry["id"]) for entry in entries)

    async def context_window(self, model: str) -> int | None:
        try:
            entry = await self._entry(model)
        except ModelError:
            entry = {}
        running = await self._running_window() if self._has_tokenizer or _is_llama_cpp(entry) else None
        return running or _window_in(entry) or known_window(model)

    async def count_tokens(self, text: str) -> int | None:
        if not self._has_tokenizer:
            return None
        try:
            answer = await self._wire.ask(self._root + "/tokenize", {"content": text}, absolute=True)
            return len(answer["tokens"])
        except (ModelError, KeyError, TypeError):
            return None

    async def embed(self, texts: Sequence[str], model: str) -> list[Vector]:
        return await openai_embeddings(self._wire, texts, model)

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def _entry(self, model: str) -> dict[str, Any]:
        return next((entry for entry in await self._entries() or () if entry["id"] == model), {})

    async def _entries(self) -> list[dict[str, Any]] | None:
        return await _listed(self._wire, "/models")

    async def _running_window(self) -> int | None:
        """What llama.cpp was started with, which may be less than the model could."""
        try:
            props = await self._wire.ask(self._root + "/props", absolute=True)
            return int(props["default_generation_settings"]["n_ctx"])
        except (ModelError, KeyError, TypeError, ValueError):
            return None


async def _listed(wire: Wire, path: str) -> list[dict[str, Any]] | None:
    """The models a server lists, under `data` or (Together) bare; None where its answer is no list of models."""
    try:
        listing = await wire.ask(path)
    except (Rejected, ModelNotFound, MalformedStream):
        return None
    entries = listing.get("data") if isinstance(listing, dict) else listing
    if not isinstance(entries, list):
        return None
    return [entry for entry in entries if isinstance(entry, dict) and "id" in entry]


def _is_llama_cpp(entry: dict[str, Any]) -> bool:
    return isinstance(meta := entry.get("meta"), dict) and "n_ctx_train" in meta


def _window_in(entry: dict[str, Any]) -> int | None:
    for place in (entry.get("meta"), entry):
        if isinstance(place, dict):
            for field in _WINDOW_FIELDS:
                if isinstance(value := place.get(field), int) and value > 0:
                    return value
    return None


class AnthropicBackend:
    """Anthropic's own API."""

    loads_on_demand = False
    calls_tools = True
    holds_schema = False
    gives_logprobs = False

    def __init__(self, wire: Wire, *, remote: bool) -> None:
        self.name = wire.name
        self.remote = remote
        self._wire = wire

    async def open(self, model: str) -> ChatModel:
        return AnthropicMessages(self._wire, model)

    async def list_models(self) -> tuple[str, ...] | None:
        entries = await _listed(self._wire, "/v1/models?limit=1000")
        return None if entries is None else tuple(str(entry["id"]) for entry in entries)

    async def context_window(self, model: str) -> int | None:
        return known_window(model)

    async def count_tokens(self, text: str) -> int | None:  # noqa: ARG002 - it would cost a call
        return None

    async def aclose(self) -> None:
        await self._wire.aclose()


def anthropic_headers(key: str | None) -> dict[str, str]:
    return {"anthropic-version": VERSION, **({"x-api-key": key} if key else {})}


def bearer(key: str | None) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}
