"""The scripted server keeps its word: each protocol, each boundary and each fault, seen by a plain client."""

import asyncio
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.scripted import (
    CleanEndWithoutFinish,
    Cut,
    ErrorInStream,
    Fault,
    Garbage,
    Refuse,
    Reply,
    Request,
    ScriptedServer,
    SlowFirstByte,
    Stall,
    Status,
    Times,
    ToolCall,
    known_errors,
)

CHATS = ("/v1/chat/completions", "/v1/messages", "/api/chat")
HELLO: dict[str, Any] = {"model": "llama3:latest", "messages": [{"role": "user", "content": "hello"}]}
STREAMED = HELLO | {"stream": True}


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def client(server: ScriptedServer) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=server.url, timeout=5, verify=False) as client:
        yield client


@pytest.fixture(scope="module")
def http() -> Iterator[httpx2.Client]:
    """A client for servers a test makes itself; without TLS, which would take most of the time."""
    with httpx2.Client(timeout=5, verify=False) as http:
        yield http


def asked(text: str, **more: Any) -> dict[str, Any]:
    return HELLO | {"messages": [{"role": "user", "content": text}]} | more


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


def raw_answer(server: ScriptedServer, body: dict[str, Any], path: str = CHATS[0]) -> bytes:
    """Every byte the server sends for one request, up to its closing the connection."""
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        sock.sendall(head.encode() + data)
        return b"".join(iter(lambda: sock.recv(65536), b""))


def chunks_of(answer: bytes) -> list[bytes]:
    """The HTTP chunks of a raw answer."""
    _, _, rest = answer.partition(b"\r\n\r\n")
    found = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        found.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    return found


def heard_before_it_broke(answer: httpx2.Response) -> tuple[bytes, Exception | None]:
    heard = b""
    try:
        for chunk in answer.iter_raw():
            heard += chunk
    except httpx2.TransportError as broke:
        return heard, broke
    return heard, None


# The script


@pytest.mark.parametrize("path", CHATS)
def test_with_nothing_scripted_it_repeats_what_the_user_said(client: httpx2.Client, path: str) -> None:
    assert text_of(client.post(path, json=STREAMED).text) == "You said: hello"


def test_replies_are_said_in_order_and_then_it_echoes(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply("one"), Reply("two"))
    assert [text_of(client.post(CHATS[0], json=STREAMED).text) for _ in range(3)] == [
        "one",
        "two",
        "You said: hello",
    ]
    assert server.unsaid == 0


def test_a_rule_answers_before_the_replies_do(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply("queued"))
    server.rule("weather", then=Reply("sunny"))
    server.rule(lambda request: request.model == "other", then=lambda request: Reply(request.model))
    assert text_of(client.post(CHATS[0], json=asked("the weather?", stream=True)).text) == "sunny"
    assert text_of(client.post(CHATS[0], json=STREAMED | {"model": "other"}).text) == "other"
    assert text_of(client.post(CHATS[0], json=STREAMED).text) == "queued"


def test_a_rule_with_several_answers_keeps_to_the_last(server: ScriptedServer, client: httpx2.Client) -> None:
    server.rule("hello", [Times(2, Status(503)), Reply("at last")])
    assert [client.post(CHATS[0], json=HELLO).status_code for _ in range(4)] == [503, 503, 200, 200]


def test_a_rule_can_spoil_a_listing(server: ScriptedServer, client: httpx2.Client) -> None:
    server.rule(lambda _: True, Status(500, "boom"), path="/v1/models")
    assert client.get("/v1/models").text == "boom"
    assert client.get("/api/tags").status_code == 200


def test_a_fault_n_times_then_the_reply(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Times(2, Status(429, headers={"Retry-After": "1"})), Reply("through"))
    first, second, third = (client.post(CHATS[0], json=STREAMED) for _ in range(3))
    assert (first.status_code, second.status_code, first.headers["retry-after"]) == (429, 429, "1")
    assert text_of(third.text) == "through"


def test_every_request_is_on_record(server: ScriptedServer, client: httpx2.Client) -> None:
    client.get("/v1/models?limit=3", headers={"X-Trace": "abc"})
    client.post("/v1/messages", json=HELLO | {"system": "Be brief."})
    listing, chat = server.requests
    assert (listing.method, listing.path, listing.query, listing.body) == (
        "GET",
        "/v1/models",
        "limit=3",
        None,
    )
    assert listing.headers["x-trace"] == "abc"
    assert (chat.model, chat.said, chat.conversation) == ("llama3:latest", "hello", "Be brief.\nhello")
    assert server.chats == [chat]


def test_texts_are_found_in_blocks_and_tool_results() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "42"}]}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "how "}, {"type": "text", "text": "many?"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "count", "input": {}}]},
        {"role": "user", "content": [result]},
    ]
    request = Request("POST", "/v1/messages", {}, {"messages": messages}, b"")
    assert (request.last, request.said, request.conversation) == ("42", "42", "how many?\n\n42")


def test_many_clients_at_once_each_get_one_reply(server: ScriptedServer, http: httpx2.Client) -> None:
    server.replies(*(Reply(f"reply-{number}") for number in range(64)))
    with ThreadPoolExecutor(16) as pool:
        answers = pool.map(lambda _: http.post(server.url + CHATS[0], json=STREAMED).text, range(64))
    assert {text_of(answer) for answer in answers} == {f"reply-{number}" for number in range(64)}


# The protocols


def test_openai_streams_the_role_first_then_text_usage_and_done(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply(deltas=("Hel", "lo"), usage=(7, 2)))
    answer = client.post(CHATS[0], json=STREAMED | {"stream_options": {"include_usage": True}})
    role, first, second, finish, usage, done = events(answer.text)
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert role["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [event["choices"][0]["delta"]["content"] for event in (first, second)] == ["Hel", "lo"]
    assert finish["choices"][0]["finish_reason"] == "stop"
    assert usage["choices"] == []
    assert usage["usage"] == {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    assert done == "[DONE]"


def test_openai_keeps_usage_and_logprobs_to_itself_unless_asked(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(*[Reply(deltas=("a", "b"), logprobs=(-0.5, -1.5))] * 2)
    assert "usage" not in (plain := client.post(CHATS[0], json=STREAMED).text)
    assert "logprob" not in plain
    asked_for = events(client.post(CHATS[0], json=STREAMED | {"logprobs": True}).text)
    spoken = [event["choices"][0]["logprobs"]["content"][0] for event in asked_for[1:3]]
    assert [(token["token"], token["logprob"]) for token in spoken] == [("a", -0.5), ("b", -1.5)]


def test_openai_streams_reasoning_and_tool_calls_in_pieces(server: ScriptedServer, client: httpx2.Client) -> None:
    call = ToolCall("call_1", "read_file", '{"path": "a.txt"}')
    server.replies(Reply(reasoning="I had better look.", tool_calls=(call, ToolCall("call_2", "noop"))))
    deltas = [event["choices"][0] for event in events(client.post(CHATS[0], json=STREAMED).text)[:-1]]
    thought = "".join(choice["delta"].get("reasoning_content", "") for choice in deltas)
    parts = [part for choice in deltas for part in choice["delta"].get("tool_calls", ())]
    assert thought == "I had better look."
    assert [(part["id"], part["function"]["name"]) for part in parts if "id" in part] == [
        ("call_1", "read_file"),
        ("call_2", "noop"),
    ]
    assert "".join(part["function"]["arguments"] for part in parts if part["index"] == 0) == call.arguments
    assert deltas[-1]["finish_reason"] == "tool_calls"


def test_openai_answers_whole_when_nothing_is_streamed(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply("Hi.", reasoning="Hm.", reasoning_field="reasoning", usage=(1, 2), finish_reason="length"))
    body = client.post(CHATS[0], json=HELLO).json()
    assert body["object"] == "chat.completion"
    assert body["choices"][0]["message"] == {"role": "assistant", "content": "Hi.", "reasoning": "Hm."}
    assert body["choices"][0]["finish_reason"] == "length"
    assert body["usage"]["total_tokens"] == 3


def test_anthropic_streams_thinking_text_and_tool_use_as_blocks(server: ScriptedServer, client: httpx2.Client) -> None:
    call = ToolCall("toolu_1", "read_file", '{"path": "a.txt"}')
    server.replies(Reply("Let me see.", reasoning="I had better look.", tool_calls=(call,), usage=(9, 4)))
    body = client.post("/v1/messages", json=STREAMED).text
    seen = events(body)
    kinds = [event["type"] for event in seen]
    assert [line.removeprefix("event: ") for line in body.splitlines() if line.startswith("event:")] == kinds
    assert (kinds[0], kinds[1], kinds[-2], kinds[-1]) == (
        "message_start",
        "ping",
        "message_delta",
        "message_stop",
    )
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 3
    deltas = [(event["index"], event["delta"]) for event in seen if event["type"] == "content_block_delta"]
    assert "".join(delta.get("thinking", "") for index, delta in deltas if index == 0) == "I had better look."
    assert "".join(delta.get("text", "") for index, delta in deltas if index == 1) == "Let me see."
    assert "".join(delta.get("partial_json", "") for index, delta in deltas if index == 2) == call.arguments
    assert seen[0]["message"]["usage"]["input_tokens"] == 9
    assert (seen[-2]["delta"]["stop_reason"], seen[-2]["usage"]["output_tokens"]) == ("tool_use", 4)


def test_anthropic_answers_whole_when_nothing_is_streamed(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply("Hi.", reasoning="Hm.", tool_calls=(ToolCall("t", "f", '{"a": 1}'),), usage=(3, 1)))
    body = client.post("/v1/messages", json=HELLO).json()
    assert [block["type"] for block in body["content"]] == ["thinking", "text", "tool_use"]
    assert body["content"][2]["input"] == {"a": 1}
    assert (body["stop_reason"], body["usage"]) == ("tool_use", {"input_tokens": 3, "output_tokens": 1})


def test_ollama_streams_lines_and_says_when_it_is_done(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply("Hi there", reasoning="Hm.", tool_calls=(ToolCall("", "f", '{"a": 1}'),), usage=(3, 5)))
    answer = client.post("/api/chat", json=HELLO)
    lines = events(answer.text)
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert [line["done"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert lines[0]["message"]["thinking"] == "Hm."
    assert lines[-2]["message"]["tool_calls"] == [{"function": {"name": "f", "arguments": {"a": 1}}}]
    assert (lines[-1]["done_reason"], lines[-1]["prompt_eval_count"], lines[-1]["eval_count"]) == (
        "stop",
        3,
        5,
    )
    assert client.post("/api/chat", json=HELLO | {"stream": False}).json()["message"]["content"] == "You said: hello"


@pytest.mark.parametrize("path", CHATS)
def test_a_server_may_keep_silent_about_usage(server: ScriptedServer, client: httpx2.Client, path: str) -> None:
    server.replies(*[Reply("Hi.", usage=None)] * 2)
    asking = {"stream_options": {"include_usage": True}}
    for body in (HELLO | {"stream": False}, STREAMED | asking):
        answer = client.post(path, json=body).text
        assert "usage" not in answer
        assert "eval_count" not in answer


# The listings


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


# The wire


@pytest.mark.parametrize("path", CHATS)
def test_chunks_can_be_cut_inside_a_character(server: ScriptedServer, client: httpx2.Client, path: str) -> None:
    said = 'naïve “quoted” 漢字 \\ 🎭 "end"\n'
    server.replies(*[Reply(said, cut_every=1)] * 2)
    chunks = chunks_of(raw_answer(server, STREAMED, path))
    assert {len(chunk) for chunk in chunks[:-1]} == {1}
    assert chunks[-1] == b""
    assert "🎭".encode()[:1] in chunks
    assert text_of(client.post(path, json=STREAMED).text) == said


def test_without_a_cut_every_event_is_one_chunk(server: ScriptedServer) -> None:
    server.replies(Reply(deltas=("Hel", "lo")))
    chunks = chunks_of(raw_answer(server, STREAMED))
    assert len(chunks) == 6  # the role, two deltas, the finish, [DONE], the end
    assert all(chunk.startswith(b"data: ") and chunk.endswith(b"\n\n") for chunk in chunks[:-1])


def test_a_whole_answer_can_be_cut_too(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(*[Reply("漢字", cut_every=3)] * 2)
    assert len(chunks_of(raw_answer(server, HELLO))) > 20
    assert client.post(CHATS[0], json=HELLO).json()["choices"][0]["message"]["content"] == "漢字"


def test_chunks_can_be_slow(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply(deltas=("a", "b", "c"), delay=0.02))
    started = time.monotonic()
    client.post(CHATS[0], json=STREAMED)
    assert time.monotonic() - started >= 0.1  # six chunks, five waits


def test_a_connection_is_kept_alive(server: ScriptedServer) -> None:
    data = json.dumps(STREAMED).encode()
    ask = f"POST {CHATS[0]} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        for _ in range(3):
            sock.sendall(ask)
            answer = b""
            while not answer.endswith(b"0\r\n\r\n"):
                answer += sock.recv(65536)
            assert b"[DONE]" in answer


def test_a_chunked_request_is_understood(client: httpx2.Client) -> None:
    body = json.dumps(HELLO).encode()
    answer = client.post(CHATS[0], content=iter([body[:10], body[10:]]))
    assert answer.json()["choices"][0]["message"]["content"] == "You said: hello"


def test_a_body_that_is_not_json_is_a_bad_request(client: httpx2.Client) -> None:
    assert client.post(CHATS[0], content=b"{nope").status_code == 400


# The faults


@pytest.mark.parametrize("reset", [False, True])
def test_refuse_closes_without_a_word(server: ScriptedServer, client: httpx2.Client, reset: bool) -> None:  # noqa: FBT001
    server.replies(Refuse(reset=reset), Reply("back"))
    with pytest.raises(httpx2.ReadError if reset else httpx2.RemoteProtocolError):
        client.post(CHATS[0], json=STREAMED)
    assert text_of(client.post(CHATS[0], json=STREAMED).text) == "back"


@pytest.mark.parametrize("body", [HELLO, STREAMED])
def test_a_slow_first_byte_is_slow(server: ScriptedServer, client: httpx2.Client, body: dict[str, Any]) -> None:
    server.replies(SlowFirstByte(0.1, then=Reply("worth it")), SlowFirstByte(5))
    started = time.monotonic()
    assert "worth" in client.post(CHATS[0], json=body).text
    assert 0.1 <= time.monotonic() - started < 2
    with pytest.raises(httpx2.ReadTimeout):
        client.post(CHATS[0], json=body, timeout=0.05)
    assert server.wait_for_disconnect()


def test_headers_can_come_long_before_the_first_byte(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(SlowFirstByte(0.15, then=Reply("late"), headers_first=True))
    with client.stream("POST", CHATS[0], json=STREAMED) as answer:
        began = time.monotonic()
        assert text_of(answer.read().decode()) == "late"
    assert time.monotonic() - began >= 0.1


@pytest.mark.parametrize("path", CHATS)
def test_a_stall_lasts_until_the_client_hangs_up(server: ScriptedServer, client: httpx2.Client, path: str) -> None:
    server.replies(Stall(after_chunks=2, reply=Reply("one two three")))
    with client.stream("POST", path, json=STREAMED, timeout=0.2) as answer:
        assert not server.wait_for_disconnect(timeout=0.05)
        heard, ending = heard_before_it_broke(answer)
    assert (text_of(heard.decode()), type(ending)) == ("one two", httpx2.ReadTimeout)
    assert server.wait_for_disconnect()
    assert [request.path for request in server.abandoned] == [path]


async def test_a_cancelled_task_is_seen_to_hang_up(server: ScriptedServer) -> None:
    server.replies(Stall())
    async with httpx2.AsyncClient(base_url=server.url, verify=False) as client:
        task = asyncio.create_task(client.post(CHATS[0], json=STREAMED))
        assert await asyncio.to_thread(server.wait_for_requests)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(server.wait_for_disconnect)


def test_leaving_between_slow_chunks_is_noticed(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply("word " * 100, delay=60))
    with client.stream("POST", CHATS[0], json=STREAMED) as answer:
        next(answer.iter_raw())
    assert server.wait_for_disconnect()


def test_a_client_that_hears_everything_has_not_hung_up(server: ScriptedServer, http: httpx2.Client) -> None:
    http.post(server.url + CHATS[0], json=STREAMED)
    assert not server.wait_for_disconnect(timeout=0.05)


@pytest.mark.parametrize("path", CHATS)
@pytest.mark.parametrize("fault", [Cut(2), Cut(2, inside=True), Cut(2, Reply("a b c", cut_every=7))])
def test_a_cut_ends_the_body_before_its_time(
    server: ScriptedServer, client: httpx2.Client, path: str, fault: Cut
) -> None:
    server.replies(fault)
    with client.stream("POST", path, json=STREAMED) as answer:
        heard, ending = heard_before_it_broke(answer)
    whole, _, broken_off = heard.rpartition(b"\n")
    assert bool(broken_off) is fault.inside
    assert text_of(whole.decode()) == "".join(fault.reply.deltas[:2])
    assert isinstance(ending, httpx2.RemoteProtocolError)


def test_a_cut_can_be_a_reset(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Cut(1, reset=True))
    with pytest.raises(httpx2.ReadError):
        client.post(CHATS[0], json=STREAMED)


@pytest.mark.parametrize(
    ("path", "last_words"), list(zip(CHATS, ("[DONE]", "message_stop", '"done":true'), strict=True))
)
def test_a_clean_end_can_lack_its_finish(
    server: ScriptedServer, client: httpx2.Client, path: str, last_words: str
) -> None:
    server.replies(CleanEndWithoutFinish(Reply("all of it")), CleanEndWithoutFinish())
    answer = client.post(path, json=STREAMED).text
    assert text_of(answer) == "all of it"
    assert last_words not in answer
    assert '"stop"' not in answer
    whole = client.post(path, json=HELLO | {"stream": False}).json()
    finish = whole.get("stop_reason") or whole.get("done") or whole.get("choices", [{}])[0].get("finish_reason")
    assert not finish


def test_garbage_comes_in_the_middle_and_the_reply_goes_on(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(*[Garbage(b"\xff\xfe: what\n\n", after_chunks=1, reply=Reply("a b"))] * 2)
    body = client.post(CHATS[0], json=STREAMED).content
    before, after = body.split(b"\xff\xfe: what\n\n")
    assert text_of(before.decode()) + text_of(after.decode()) == "a b"
    assert client.post(CHATS[0], json=HELLO).content == b"\xff\xfe: what\n\n"


@pytest.mark.parametrize("path", CHATS)
def test_an_error_can_come_in_the_stream(server: ScriptedServer, client: httpx2.Client, path: str) -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    server.replies(*[ErrorInStream(error, after_chunks=1, reply=Reply("a b"))] * 2)
    answer = client.post(path, json=STREAMED)
    assert answer.status_code == 200
    assert text_of(answer.text) == "a"
    assert events(answer.text)[-1]["error"] == error
    assert ("event: error\n" in answer.text) is (path == "/v1/messages")
    assert client.post(path, json=HELLO | {"stream": False}).json() == {"error": error}


@pytest.mark.parametrize("fault", [Cut(), Stall()])
def test_a_whole_answer_can_stop_halfway(server: ScriptedServer, fault: Fault, http: httpx2.Client) -> None:
    server.replies(fault)
    with pytest.raises((httpx2.RemoteProtocolError, httpx2.ReadTimeout)):
        http.post(server.url + CHATS[0], json=HELLO, timeout=0.2)


KNOWN = {
    f"{name.lower()}-{provider}": status
    for name in (
        "OVERFLOWS",
        "OUT_OF_MEMORY",
        "UNAUTHORIZED",
        "MODEL_NOT_FOUND",
        "RATE_LIMITED",
        "OVERLOADED",
    )
    for provider, status in getattr(known_errors, name).items()
}


@pytest.mark.parametrize("status", list(KNOWN.values()), ids=list(KNOWN))
def test_known_errors_arrive_as_their_providers_send_them(
    server: ScriptedServer, status: Status, http: httpx2.Client
) -> None:
    server.replies(status)
    answer = http.post(server.url + CHATS[0], json=STREAMED)
    assert (answer.status_code, answer.json()) == (status.code, status.body)
    assert answer.headers["content-type"] == "application/json"
    assert status.headers.items() <= {"Retry-After": answer.headers.get("retry-after")}.items()


def test_known_errors_carry_the_numbers_given() -> None:
    body = known_errors.llama_cpp_overflow(limit=256, sent=1407).body["error"]
    assert (body["n_ctx"], body["n_prompt_tokens"]) == (256, 1407)
    assert "256" in body["message"]


# The process


def test_unplugged_it_refuses_and_plugged_in_again_it_goes_on(server: ScriptedServer, http: httpx2.Client) -> None:
    server.replies(Stall(), Reply("back"))
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(http.post, server.url + CHATS[0], json=STREAMED)
        assert server.wait_for_requests()
        server.stop()
        with pytest.raises(httpx2.RemoteProtocolError):
            hanging.result(5)
    assert not server.abandoned
    with pytest.raises(httpx2.ConnectError):
        http.post(server.url + CHATS[0], json=STREAMED)
    url = server.url
    server.start()
    assert server.url == url
    assert text_of(http.post(url + CHATS[0], json=STREAMED).text) == "back"


def test_starting_is_cheap() -> None:
    def seconds_of_one() -> float:
        started = time.monotonic()
        with ScriptedServer():
            return time.monotonic() - started

    assert statistics.median(seconds_of_one() for _ in range(20)) < 0.02


def test_the_urls_say_how_to_talk_to_it(server: ScriptedServer) -> None:
    place = f"127.0.0.1:{server.port}"
    assert (server.url, server.openai_url) == (f"http://{place}", f"http://{place}/v1")
    assert (server.ollama_url, server.anthropic_url) == (f"ollama://{place}", f"http://{place}")


@pytest.mark.parametrize(
    ("flags", "said"),
    [(["--reply", "Hi you."], "Hi you."), (["--tokens", "3"], "word word word"), ([], "You said: hello")],
)
def test_it_runs_as_a_process_and_prints_its_url(flags: list[str], said: str, http: httpx2.Client) -> None:
    command = [sys.executable, "-m", "tests.scripted", "--port", "0", *flags]
    root = Path(__file__).parents[1]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            assert text_of(http.post(url + CHATS[0], json=STREAMED).text) == said
        finally:
            process.terminate()
        assert process.wait(5) == 0


def test_a_reply_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="two different ones"):
        Reply("one", deltas=("two",))
    with pytest.raises(ValueError, match="logprobs for"):
        Reply("one two", logprobs=(-1.0,))
