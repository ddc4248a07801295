"""What the scripted server says: replies in order, rules first, and what it heard is on record."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.scripted import Reply, Request, ScriptedServer, Status, Times
from tests.scripted_server.plain_client import CHATS, HELLO, STREAMED, text_of


def asked(text: str, **more: Any) -> dict[str, Any]:
    return HELLO | {"messages": [{"role": "user", "content": text}]} | more


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
