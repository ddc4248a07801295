"""The scripted server's faults happen as they are called."""

import asyncio
import time
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
    ScriptedServer,
    SlowFirstByte,
    Stall,
    Status,
    known_errors,
)
from tests.scripted_server.plain_client import CHATS, HELLO, STREAMED, events, text_of


def heard_before_it_broke(answer: httpx2.Response) -> tuple[bytes, Exception | None]:
    heard = b""
    try:
        for chunk in answer.iter_raw():
            heard += chunk
    except httpx2.TransportError as broke:
        return heard, broke
    return heard, None


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
