"""From a route to its backend: the right protocol, the right address, the key from the right variable."""

from collections.abc import Mapping
from typing import Any

import pytest

from onbook.config.settings import Route
from onbook.models.any_provider import AnyBackend
from onbook.models.backend import AnthropicBackend, Backend, OpenAIBackend
from onbook.models.errors import Refused
from onbook.models.ollama import OllamaBackend
from onbook.models.routes import backend_of
from tests.models.asking import heard, text_of
from tests.scripted import ScriptedServer

KEY = "sk-onbook-test-key"


def opened(url: str, environ: Mapping[str, str] | None = None, **more: Any) -> Backend:
    return backend_of(Route("Stage", url, **more), environ or {})


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ollama://", OllamaBackend),
        ("ollama://gpu.lan:1234", OllamaBackend),
        ("llamacpp://", OpenAIBackend),
        ("http://127.0.0.1:8000/v1", OpenAIBackend),
        ("https://api.example/v1", OpenAIBackend),
        ("anthropic://127.0.0.1:1", AnthropicBackend),
        ("openai://127.0.0.1:1", OpenAIBackend),
        ("any://mistral", AnyBackend),
    ],
)
def test_each_scheme_leads_to_its_protocol(url: str, kind: type) -> None:
    assert type(opened(url)) is kind


@pytest.mark.parametrize(
    ("url", "remote"),
    [("ollama://", False), ("ollama://gpu.lan", True), ("http://localhost:1/v1", False), ("any://groq", True)],
)
def test_a_backend_knows_whether_it_is_on_this_machine(url: str, *, remote: bool) -> None:
    assert opened(url).remote is remote


def test_a_backend_bears_its_routes_name() -> None:
    assert opened("ollama://").name == "Stage"


@pytest.mark.parametrize("scheme", ["http", "openai", "anthropic", "ollama", "llamacpp"])
async def test_a_question_reaches_the_server_with_the_key(scheme: str) -> None:
    with ScriptedServer(api_key=KEY) as server:
        url = server.openai_url if scheme == "http" else f"{scheme}://127.0.0.1:{server.port}"
        backend = opened(url, {"STAGE_KEY": KEY}, key_env="STAGE_KEY")
        answer = await heard(await backend.open("llama3:latest"))
        await backend.aclose()
    assert text_of(answer) == "You said: hello"


async def test_a_loopback_route_without_a_key_sends_none(server: ScriptedServer) -> None:
    backend = opened(server.openai_url, {"OPENAI_API_KEY": KEY})
    await heard(await backend.open("m"))
    await backend.aclose()
    assert server.chats[0].key == ""


async def test_a_llamacpp_route_counts_tokens() -> None:
    with ScriptedServer(speaks=("llama.cpp",)) as server:
        backend = opened(f"llamacpp://127.0.0.1:{server.port}")
        counted = await backend.count_tokens("12345678")
        await backend.aclose()
    assert counted == 2


@pytest.mark.parametrize("environ", [{}, {"STAGE_KEY": ""}, {"STAGE_KEY": " \n"}])
@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "anthropic://127.0.0.1:1", "any://mistral", "ollama://"])
def test_a_key_that_is_not_set_is_one_line_and_exit_5(url: str, environ: dict[str, str]) -> None:
    with pytest.raises(Refused) as caught:
        opened(url, environ, key_env="STAGE_KEY")
    assert (str(caught.value), caught.value.outcome.exit_code) == (
        "Stage: refused: the environment variable STAGE_KEY is not set; its key is read from there",
        5,
    )


@pytest.mark.parametrize(("url", "name"), [("openai://", "OPENAI_API_KEY"), ("anthropic://", "ANTHROPIC_API_KEY")])
def test_a_providers_own_host_needs_its_usual_key(url: str, name: str) -> None:
    with pytest.raises(Refused, match=name):
        opened(url)
