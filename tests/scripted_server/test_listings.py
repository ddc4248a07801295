"""What the scripted server says of its models, in each protocol's own way."""

import httpx2
import pytest

from tests.scripted import ScriptedServer
from tests.scripted_server.plain_client import CHATS, HELLO


def test_models_are_listed_in_each_protocols_own_way(http: httpx2.Client) -> None:
    models = ("llama3:latest", "qwen3:4b")
    with ScriptedServer(models=models, context={"qwen3:4b": 40960}, num_ctx={"qwen3:4b": 4096}) as server:
        openai = http.get(server.openai_url + "/models").json()
        anthropic = http.get(server.url + "/v1/models", headers={"anthropic-version": "2023-06-01"}).json()
        tags = http.get(server.url + "/api/tags").json()
        shown = http.post(server.url + "/api/show", json={"model": "qwen3:4b"}).json()
        unknown = http.post(server.url + "/api/show", json={"model": "nope"})
        version = http.get(server.url + "/api/version").json()
        loaded = http.get(server.url + "/api/ps").json()
        one = http.get(server.url + "/v1/models/llama3").json()
    assert [model["id"] for model in openai["data"]] == list(models)
    assert [(model["type"], model["id"]) for model in anthropic["data"]] == [("model", name) for name in models]
    assert (anthropic["first_id"], anthropic["last_id"], anthropic["has_more"]) == (*models, False)
    assert [model["name"] for model in tags["models"]] == list(models)
    assert shown["model_info"]["llama.context_length"] == 40960
    assert shown["parameters"].split()[:2] == ["num_ctx", "4096"]
    assert unknown.status_code == 404
    assert "version" in version
    assert loaded["models"][0]["name"] == one["id"] == "llama3:latest"


def test_llama_cpp_is_played_when_asked_for(server: ScriptedServer, client: httpx2.Client, http: httpx2.Client) -> None:
    assert client.get("/props").status_code == 404
    with ScriptedServer(speaks=("llama.cpp",), models=("smol",), context={"smol": 2048}) as llama:
        assert http.get(llama.url + "/props").json()["default_generation_settings"]["n_ctx"] == 2048
        tokens = http.post(llama.url + "/tokenize", json={"content": "hello world"}).json()["tokens"]
        assert len(tokens) == 3
        assert http.get(llama.url + "/api/tags").status_code == 404
        assert http.post(llama.openai_url + "/chat/completions", json=HELLO).status_code == 200


def test_vllm_and_openrouter_list_their_windows(http: httpx2.Client) -> None:
    with ScriptedServer(context_field="max_model_len") as server:
        assert http.get(server.openai_url + "/models").json()["data"][0]["max_model_len"] == 8192


def test_listings_can_be_off(http: httpx2.Client) -> None:
    with ScriptedServer(listing=False) as server:
        assert {http.get(server.url + path).status_code for path in ("/v1/models", "/api/tags")} == {404}
        assert http.post(server.url + CHATS[0], json=HELLO).status_code == 200


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (CHATS[0], "The model `nope`"),
        (CHATS[1], "model: nope"),
        (CHATS[2], 'model \\"nope\\" not found, try pulling'),
    ],
)
def test_an_unknown_model_gets_the_protocols_own_404(path: str, words: str, http: httpx2.Client) -> None:
    with ScriptedServer(strict_models=True) as server:
        answer = http.post(server.url + path, json=HELLO | {"model": "nope"})
        assert (answer.status_code, words in answer.text) == (404, True)
        assert http.post(server.url + path, json=HELLO | {"model": "llama3"}).status_code == 200


@pytest.mark.parametrize("header", [{"Authorization": "Bearer s3cret"}, {"x-api-key": "s3cret"}])
def test_a_key_is_demanded_in_either_header(header: dict[str, str], http: httpx2.Client) -> None:
    with ScriptedServer(api_key="s3cret") as server:
        refused = [http.post(server.url + path, json=HELLO) for path in CHATS[:2]]
        assert [answer.status_code for answer in refused] == [401, 401]
        assert "Incorrect API key" in refused[0].text
        assert refused[1].json()["error"]["type"] == "authentication_error"
        assert http.post(server.url + CHATS[0], json=HELLO, headers=header).status_code == 200
        assert http.get(server.url + "/v1/models").status_code == 401
