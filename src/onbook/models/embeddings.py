"""Texts as vectors: what OpenAI-compatible servers and Ollama give, checked before anybody counts on it."""

import math
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from onbook.models.errors import MalformedStream
from onbook.models.http import Wire

Vector = list[float]


@runtime_checkable
class Embeds(Protocol):
    """A backend that turns texts into vectors. Not all do."""

    name: str

    async def embed(self, texts: Sequence[str], model: str) -> list[Vector]:
        """One vector for each text, in order, all of one length."""
        ...


async def openai_embeddings(wire: Wire, texts: Sequence[str], model: str) -> list[Vector]:
    """`/embeddings`, as OpenAI, llama.cpp, vLLM and many others have it."""
    answer = await _ask(wire, "/embeddings", {"model": model, "input": list(texts), "encoding_format": "float"})
    entries = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise MalformedStream(wire.name, "the answer holds no embeddings")
    # Servers may answer in any order; those that number nothing keep the order.
    numbered = [(entry.get("index", at), entry.get("embedding")) for at, entry in enumerate(entries)]
    if sorted(number for number, _ in numbered if isinstance(number, int)) != list(range(len(entries))):
        raise MalformedStream(wire.name, "the embeddings are numbered oddly")
    return _checked(wire, [vector for _, vector in sorted(numbered, key=lambda pair: pair[0])], len(texts))


async def ollama_embeddings(wire: Wire, texts: Sequence[str], model: str) -> list[Vector]:
    """Ollama's `/api/embed`; texts too long for the model are cut by it."""
    answer = await _ask(wire, "/api/embed", {"model": model, "input": list(texts), "truncate": True})
    return _checked(wire, answer.get("embeddings") if isinstance(answer, dict) else None, len(texts))


async def _ask(wire: Wire, path: str, body: object) -> Any:
    """A small machine embeds for minutes, so it may take as long as a reply."""
    async with wire.stream(path, body) as response:
        content = await wire.whole(response)
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise MalformedStream(wire.name, "the embeddings are not JSON") from None


def _checked(wire: Wire, vectors: object, count: int) -> list[Vector]:
    try:
        found = msgspec.convert(vectors, list[Vector])
    except msgspec.ValidationError:
        raise MalformedStream(wire.name, "the answer holds no embeddings") from None
    if len(found) != count:
        raise MalformedStream(wire.name, f"{count} texts were sent and {len(found)} embeddings came back")
    if any(not vector or len(vector) != len(found[0]) for vector in found):
        raise MalformedStream(wire.name, "the embeddings are empty or of different lengths")
    if not all(math.isfinite(sum(vector)) for vector in found):
        raise MalformedStream(wire.name, "an embedding holds a number that is none")
    return found
