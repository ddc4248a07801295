"""Vectors from real servers, and from servers that answer nonsense."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from onbook.config.settings import Route
from onbook.models.backend import OpenAIBackend
from onbook.models.embeddings import Embeds
from onbook.models.errors import MalformedStream, ModelNotFound, Overloaded
from onbook.models.ollama import OllamaBackend
from onbook.models.routes import backend_of
from tests.scripted import ScriptedServer, Status
from tests.scripted.embeddings import vector_of

PATH = "/v1/embeddings"


@pytest_asyncio.fixture
async def openai(server: ScriptedServer) -> AsyncIterator[OpenAIBackend]:
    backend = backend_of(Route("vectors", server.openai_url), {})
    assert isinstance(backend, OpenAIBackend)
    yield backend
    await backend.aclose()


@pytest_asyncio.fixture
async def ollama(server: ScriptedServer) -> AsyncIterator[OllamaBackend]:
    backend = backend_of(Route("vectors", server.ollama_url), {})
    assert isinstance(backend, OllamaBackend)
    yield backend
    await backend.aclose()


async def test_an_openai_compatible_server_gives_vectors_in_the_order_of_the_texts(openai: OpenAIBackend) -> None:
    assert await openai.embed(["one", "two"], "llama3") == [vector_of("one"), vector_of("two")]


async def test_ollama_gives_vectors_in_the_order_of_the_texts(ollama: OllamaBackend) -> None:
    assert await ollama.embed(["one", "two"], "llama3") == [vector_of("one"), vector_of("two")]


async def test_an_unknown_model_is_said_to_be_one(openai: OpenAIBackend, ollama: OllamaBackend) -> None:
    for backend in (openai, ollama):
        with pytest.raises(ModelNotFound, match="nomic"):
            await backend.embed(["one"], "nomic")


async def test_a_busy_server_is_a_typed_error(openai: OpenAIBackend, server: ScriptedServer) -> None:
    server.rule(lambda _: True, Status(503), path=PATH)
    with pytest.raises(Overloaded):
        await openai.embed(["one"], "llama3")


def _numbered(*vectors: Any, first: int = 0) -> dict[str, Any]:
    return {"data": [{"index": at, "embedding": vector} for at, vector in enumerate(vectors, first)]}


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ({}, "no embeddings"),
        ({"data": "none"}, "no embeddings"),
        (_numbered([1.0]), "2 texts were sent and 1 embeddings came back"),
        (_numbered([1.0], [1.0, 2.0]), "different lengths"),
        (_numbered([], []), "empty"),
        (_numbered(["a"], ["b"]), "no embeddings"),
        (_numbered([1.0], [1.0], first=1), "numbered oddly"),
        (_numbered([1e308, 1e308], [1.0, 1.0]), "a number that is none"),
    ],
)
async def test_an_answer_that_makes_no_sense_is_refused(
    openai: OpenAIBackend, server: ScriptedServer, answer: object, complaint: str
) -> None:
    server.rule(lambda _: True, Status(200, answer), path=PATH)
    with pytest.raises(MalformedStream, match=complaint):
        await openai.embed(["one", "two"], "llama3")


async def test_anthropic_offers_no_embeddings(server: ScriptedServer) -> None:
    backend = backend_of(Route("claude", f"anthropic://127.0.0.1:{server.port}"), {})
    assert not isinstance(backend, Embeds)
    await backend.aclose()
