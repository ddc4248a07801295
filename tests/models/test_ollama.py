"""Ollama's own API: what it has, how much each model reads, and where it listens."""

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.models.ollama import OllamaBackend, local_address
from onbook.models.routes import local_ollama
from tests.models.asking import heard, text_of
from tests.scripted import Refuse, ScriptedServer, SlowFirstByte, Status


@pytest.fixture
async def ollama(server: ScriptedServer) -> AsyncIterator[OllamaBackend]:
    backend = local_ollama({"OLLAMA_HOST": f"127.0.0.1:{server.port}"})
    yield backend
    await backend.aclose()


async def window_of(model: str, **told: Any) -> int | None:
    with ScriptedServer(models=("loaded:latest", "idle:7b"), **told) as server:
        backend = local_ollama({"OLLAMA_HOST": server.url})
        window = await backend.context_window(model)
        await backend.aclose()
    return window


async def test_it_lists_the_models_it_has() -> None:
    with ScriptedServer(models=("b:7b", "a:latest")) as server:
        backend = local_ollama({"OLLAMA_HOST": server.url})
        listed = await backend.list_models()
        await backend.aclose()
    assert listed == ("b:7b", "a:latest")


@pytest.mark.parametrize("embedder", [{"name": "x", "details": {"family": "nomic-bert"}}, {"name": "qwen3-embed"}])
async def test_a_model_that_only_embeds_is_never_the_first(
    server: ScriptedServer, ollama: OllamaBackend, embedder: dict[str, Any]
) -> None:
    server.rule(lambda _: True, Status(200, {"models": [embedder, {"name": "llama3"}]}), path="/api/tags")
    assert await ollama.list_models() == ("llama3", embedder["name"])


async def test_a_model_opened_from_it_answers(ollama: OllamaBackend) -> None:
    assert text_of(await heard(await ollama.open("llama3:latest"))) == "You said: hello"


@pytest.mark.parametrize("listing", [[], {}, {"models": None}, {"models": [1, {"size": 2}]}, b'"no"', b"null"])
async def test_a_listing_of_another_kind_lists_nothing(
    server: ScriptedServer, ollama: OllamaBackend, listing: Any
) -> None:
    server.rule(lambda _: True, Status(200, listing), path="/api/tags")
    assert await ollama.list_models() == ()


# Windows


async def test_a_loaded_models_window_is_what_it_runs_with() -> None:
    assert await window_of("loaded:latest", context={"loaded:latest": 131072}) == 4096


async def test_a_loaded_model_is_recognised_without_its_tag() -> None:
    assert await window_of("Loaded", context={"loaded:latest": 131072}) == 4096


async def test_an_idle_models_window_is_what_its_file_asks_for() -> None:
    assert await window_of("idle:7b", context={"idle:7b": 131072}, num_ctx={"idle:7b": 16384}) == 16384


async def test_without_that_it_is_what_the_model_was_built_for() -> None:
    assert await window_of("idle:7b", context={"idle:7b": 32768}) == 32768


async def test_the_window_of_a_model_it_does_not_have_is_unknown() -> None:
    assert await window_of("nobody") is None


@pytest.mark.parametrize(
    "shown",
    [
        *([], {}, {"model_info": []}, {"model_info": {"x.context_length": "many"}}),
        *({"parameters": f"num_ctx {'9' * 5000}"}, {"parameters": "num_ctx ²"}),
    ],
)
async def test_an_answer_that_does_not_tell_leaves_the_window_unknown(
    server: ScriptedServer, ollama: OllamaBackend, shown: Any
) -> None:
    server.rule(lambda _: True, Status(200, {"models": 3}), path="/api/ps")
    server.rule(lambda _: True, Status(200, shown), path="/api/show")
    assert await ollama.context_window("llama3") is None


async def test_the_window_is_unknown_when_nobody_answers(dead_port: int) -> None:
    backend = local_ollama({"OLLAMA_HOST": f"127.0.0.1:{dead_port}"})
    window = await backend.context_window("llama3")
    await backend.aclose()
    assert window is None


async def test_it_counts_no_tokens(ollama: OllamaBackend) -> None:
    assert await ollama.count_tokens("hello") is None


# Reachable


async def test_a_running_one_is_reachable(ollama: OllamaBackend) -> None:
    assert await ollama.reachable()


@pytest.mark.parametrize("answer", [SlowFirstByte(30), Refuse(), Status(404), Status(200, b"<html>")])
async def test_one_that_does_not_answer_as_it_should_is_quickly_found_out(
    server: ScriptedServer, ollama: OllamaBackend, answer: Any
) -> None:
    server.rule(lambda _: True, answer, path="/api/version")
    began = time.monotonic()
    assert (await ollama.reachable(), time.monotonic() - began < 15) == (False, True)


async def test_a_dead_port_is_unreachable_at_once(dead_port: int) -> None:
    backend = local_ollama({"OLLAMA_HOST": f":{dead_port}"})
    assert not await backend.reachable()
    await backend.aclose()


# OLLAMA_HOST


@pytest.mark.parametrize(
    ("given_host", "address"),
    [
        ("", "http://127.0.0.1:11434"),
        ("  ", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("10.0.0.0:8000", "http://10.0.0.0:8000"),
        (":11434", "http://127.0.0.1:11434"),
        (":8000", "http://127.0.0.1:8000"),
        ("host", "http://host:11434"),
        ("host:", "http://host:11434"),
        ("host:1", "http://host:1"),
        ("host:http", "http://host:11434"),
        ("host:99999", "http://host:11434"),
        ("http://host:1", "http://host:1"),
        ("http://host:1/", "http://host:1"),
        ("http://host", "http://host:80"),
        ("https://host", "https://host:443"),
        ("https://host/ollama", "https://host:443/ollama"),
        ("[::1]:11434", "http://[::1]:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::]:8000", "http://[::1]:8000"),
        ("http://[::]", "http://[::1]:80"),
        ('"host:1"', "http://host:1"),
        (" host:1 ", "http://host:1"),
    ],
)
def test_every_form_of_ollama_host_is_understood_as_ollama_does(given_host: str, address: str) -> None:
    assert local_address({"OLLAMA_HOST": given_host}) == address


def test_without_ollama_host_it_is_the_default() -> None:
    assert local_address({}) == "http://127.0.0.1:11434"


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.from_regex(r"(https?://)?[\w.\[\]:]*(:\d+)?/?"))
def test_no_ollama_host_can_break_us(host: str) -> None:
    backend = local_ollama({"OLLAMA_HOST": host})
    assert "://" in local_address({"OLLAMA_HOST": host})
    assert backend.name == "ollama"


@pytest.mark.parametrize("host", ["http://\u2603x:1", "[bad", "a..b", "ftp://127.0.0.1:1"])
async def test_an_ollama_host_that_is_no_address_is_unreachable(host: str) -> None:
    backend = local_ollama({"OLLAMA_HOST": host})
    assert not await backend.reachable()
    await backend.aclose()


@pytest.mark.parametrize(
    ("host", "remote"),
    [("", False), ("0.0.0.0:1", False), ("[::1]:1", False), ("localhost", False), ("gpu.lan:1", True), ("::2", True)],
)
def test_one_on_another_machine_is_remote(host: str, *, remote: bool) -> None:
    assert local_ollama({"OLLAMA_HOST": host}).remote is remote
