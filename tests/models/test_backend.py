"""Backends: what they have, how much each model reads, whether they count tokens; unknown is None."""

from typing import Any

import pytest

from onbook.models.backend import AnthropicBackend, Backend, OpenAIBackend, anthropic_headers
from onbook.models.errors import Refused, Unreachable
from onbook.models.http import Wire
from tests.scripted import ScriptedServer, Status

MODEL = "scripted-model"


async def asked(server: ScriptedServer, question: str, *args: str, llama_cpp: bool = False) -> Any:
    """What an OpenAI-compatible backend at this server answers to one of its questions."""
    wire = Wire("scripted", server.openai_url, remote=False)
    backend = OpenAIBackend(wire, remote=False, has_tokenizer=llama_cpp)
    try:
        return await getattr(backend, question)(*args)
    finally:
        await backend.aclose()


def listing(**entry: Any) -> Status:
    return Status(200, {"object": "list", "data": [{"id": "other", "n_ctx": 1}, {"id": MODEL, **entry}]})


# Listing


async def test_an_openai_backend_lists_its_models() -> None:
    with ScriptedServer(models=("b", "a")) as server:
        assert await asked(server, "list_models") == ("b", "a")


async def test_an_anthropic_backend_lists_its_models() -> None:
    with ScriptedServer(models=("claude-b", "claude-a")) as server:
        wire = Wire("claude", server.anthropic_url, headers=anthropic_headers("sk-onbook-test-key"), remote=False)
        backend = AnthropicBackend(wire, remote=False)
        listed = await backend.list_models()
        await backend.aclose()
    assert (listed, server.requests[0].key) == (("claude-b", "claude-a"), "sk-onbook-test-key")


async def test_a_bare_list_of_models_is_a_listing_too(server: ScriptedServer) -> None:
    server.rule(lambda _: True, Status(200, [{"id": "a"}, {"id": "b"}]), path="/v1/models")
    assert await asked(server, "list_models") == ("a", "b")


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_a_backend_without_a_listing_cannot_say(kind: str) -> None:
    with ScriptedServer(listing=False) as server:
        backend: Backend = AnthropicBackend(Wire("x", server.anthropic_url, remote=False), remote=False)
        if kind == "openai":
            backend = OpenAIBackend(Wire("x", server.openai_url, remote=False), remote=False)
        listed = await backend.list_models()
        await backend.aclose()
    assert listed is None


@pytest.mark.parametrize("answer", [{}, {"data": None}, {"data": "models"}, b"7", b"<html>", b""])
async def test_an_answer_that_is_no_listing_is_none(server: ScriptedServer, answer: Any) -> None:
    server.rule(lambda _: True, Status(200, answer), path="/v1/models")
    assert await asked(server, "list_models") is None


async def test_entries_without_a_name_are_passed_over(server: ScriptedServer) -> None:
    server.rule(lambda _: True, Status(200, {"data": [1, "idea", {"x": 1}, {"id": "a"}]}), path="/v1/models")
    assert await asked(server, "list_models") == ("a",)


async def test_a_wrong_key_is_told_and_not_taken_for_a_missing_listing() -> None:
    with ScriptedServer(api_key="sk-the-right-one") as server, pytest.raises(Refused):
        await asked(server, "list_models")


async def test_a_dead_backend_is_unreachable(dead_port: int) -> None:
    wire = Wire("gone", f"http://127.0.0.1:{dead_port}/v1", remote=False)
    with pytest.raises(Unreachable):
        await OpenAIBackend(wire, remote=False).list_models()
    await wire.aclose()


# Windows


@pytest.mark.parametrize("field", ["max_model_len", "context_length", "context_window", "max_context_length"])
async def test_the_window_is_read_from_the_listing(field: str) -> None:
    with ScriptedServer(models=("other", MODEL), context={MODEL: 4321}, context_field=field) as server:
        assert await asked(server, "context_window", MODEL) == 4321


@pytest.mark.parametrize("entry", [{"n_ctx": 0}, {"context_length": "8k"}, {"meta": None}, {"max_model_len": None}])
async def test_a_field_without_a_window_in_it_tells_nothing(server: ScriptedServer, entry: dict[str, Any]) -> None:
    server.rule(lambda _: True, listing(**entry), path="/v1/models")
    assert await asked(server, "context_window", MODEL) is None


async def test_llama_cpps_window_is_what_it_was_started_with() -> None:
    with ScriptedServer(models=(MODEL,), context={MODEL: 2048}, speaks=("llama.cpp",)) as server:
        server.rule(lambda _: True, listing(meta={"n_ctx_train": 131072}), path="/v1/models")
        assert await asked(server, "context_window", MODEL, llama_cpp=True) == 2048


async def test_llama_cpp_behind_a_plain_url_is_recognised_by_its_listing() -> None:
    with ScriptedServer(models=(MODEL,), context={MODEL: 2048}, speaks=("llama.cpp",)) as server:
        server.rule(lambda _: True, listing(meta={"n_ctx_train": 131072}), path="/v1/models")
        assert await asked(server, "context_window", MODEL) == 2048


async def test_without_props_it_is_what_the_model_was_trained_with(server: ScriptedServer) -> None:
    server.rule(lambda _: True, listing(meta={"n_ctx_train": 131072}), path="/v1/models")
    assert await asked(server, "context_window", MODEL) == 131072


async def test_a_server_that_does_not_tell_is_looked_up_in_the_table() -> None:
    with ScriptedServer(models=("gpt-4o-mini",)) as server:
        assert await asked(server, "context_window", "gpt-4o-mini") == 128_000


async def test_a_window_nobody_knows_is_none(server: ScriptedServer) -> None:
    assert await asked(server, "context_window", MODEL) is None


@pytest.mark.parametrize("status", [Status(403), Status(500), Status(429)])
async def test_a_listing_that_fails_leaves_the_window_to_the_table(server: ScriptedServer, status: Status) -> None:
    server.rule(lambda _: True, status, path="/v1/models")
    assert await asked(server, "context_window", "gpt-4o") == 128_000


async def test_anthropics_window_is_from_the_table(server: ScriptedServer) -> None:
    backend = AnthropicBackend(Wire("x", server.anthropic_url, remote=False), remote=False)
    assert (await backend.context_window("claude-sonnet-4-5"), server.requests) == (200_000, [])


# Tokens


async def test_llama_cpp_counts_tokens() -> None:
    with ScriptedServer(speaks=("llama.cpp",)) as server:
        assert await asked(server, "count_tokens", "Grüße an alle", llama_cpp=True) == 4


async def test_other_servers_are_not_asked_to_count(server: ScriptedServer) -> None:
    assert (await asked(server, "count_tokens", "hello"), server.requests) == (None, [])


@pytest.mark.parametrize("answer", [Status(404), Status(200, {}), Status(200, []), Status(500)])
async def test_a_tokenizer_that_does_not_work_is_none(server: ScriptedServer, answer: Status) -> None:
    server.rule(lambda _: True, answer, path="/tokenize")
    assert await asked(server, "count_tokens", "hello", llama_cpp=True) is None


async def test_anthropic_counts_no_tokens(server: ScriptedServer) -> None:
    backend = AnthropicBackend(Wire("x", server.anthropic_url, remote=False), remote=False)
    assert await backend.count_tokens("hello") is None
