"""The wire itself: silence, slowness, odd addresses, odd answers, and every failure typed."""

import time

import pytest

from onbook.models.errors import MalformedStream, ModelError, Rejected, Unreachable, WentSilent
from onbook.models.http import Wire
from onbook.models.messages import Message, Request, Text
from onbook.models.openai_chat import OpenAIChat
from tests.models.asking import heard, heard_until_it_failed, server_that_sends, text_of
from tests.scripted import Reply, ScriptedServer, SlowFirstByte, Stall, Status


async def test_a_stream_that_goes_silent_is_given_up(server: ScriptedServer) -> None:
    server.replies(Stall(after_chunks=1))
    wire = Wire("quiet", server.openai_url, remote=False, silence=0.2)
    answer, error = await heard_until_it_failed(OpenAIChat(wire, "m"))
    await wire.aclose()
    assert (answer, type(error)) == ([Text("The")], WentSilent)


async def test_a_silent_server_is_not_asked_again(server: ScriptedServer) -> None:
    server.replies(SlowFirstByte(30))
    wire = Wire("quiet", server.openai_url, remote=False, silence=0.2)
    _, error = await heard_until_it_failed(OpenAIChat(wire, "m"))
    await wire.aclose()
    assert (type(error), len(server.chats)) == (WentSilent, 1)


@pytest.mark.parametrize("headers_first", [True, False])
async def test_a_slow_first_byte_within_the_limit_is_waited_for(server: ScriptedServer, *, headers_first: bool) -> None:
    server.replies(SlowFirstByte(0.2, Reply("Hello"), headers_first=headers_first))
    wire = Wire("slow", server.openai_url, remote=False, silence=2)
    answer = await heard(OpenAIChat(wire, "m"))
    await wire.aclose()
    assert text_of(answer) == "Hello"


async def test_the_limit_is_on_silence_and_not_on_the_whole_answer(server: ScriptedServer) -> None:
    server.replies(Reply("one two three four five six", delay=0.05))
    wire = Wire("slow", server.openai_url, remote=False, silence=0.3)
    began = time.monotonic()
    answer = await heard(OpenAIChat(wire, "m"))
    await wire.aclose()
    assert (text_of(answer), time.monotonic() - began > 0.3) == ("one two three four five six", True)


@pytest.mark.parametrize("url", ["http://\u2603x:1", "http://a..b:1", "http://[bad:1", "http://" + "a" * 70, "http://"])
async def test_an_address_that_is_none_is_unreachable(url: str) -> None:
    wire = Wire("odd", url, remote=False)
    with pytest.raises(Unreachable):
        await wire.ask("/models")
    await wire.aclose()


async def test_an_answer_packed_wrongly_is_malformed() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
    async with server_that_sends(answer) as url:
        wire = Wire("odd", url, remote=False)
        with pytest.raises(MalformedStream):
            await wire.ask("/models")
        await wire.aclose()


async def test_a_stream_packed_wrongly_is_malformed() -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"
    async with server_that_sends(answer) as url:
        wire = Wire("odd", url, remote=False)
        with pytest.raises(MalformedStream):
            await heard(OpenAIChat(wire, "m"))
        await wire.aclose()


async def test_a_server_that_does_not_speak_http_is_unreachable() -> None:
    async with server_that_sends(b"SSH-2.0-OpenSSH_9.6\r\n") as url:
        wire = Wire("odd", url, remote=False)
        with pytest.raises(Unreachable):
            await wire.ask("/models")
        await wire.aclose()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 9000, b'"\xff"'])
async def test_a_look_up_that_is_not_answered_with_json_is_malformed(server: ScriptedServer, body: bytes) -> None:
    server.rule(lambda _: True, Status(200, body), path="/v1/models")
    wire = Wire("odd", server.openai_url, remote=False)
    with pytest.raises(MalformedStream, match="did not answer with JSON"):
        await wire.ask("/models")
    await wire.aclose()


async def test_half_a_character_is_refused_before_anything_is_sent(server: ScriptedServer, chat: OpenAIChat) -> None:
    with pytest.raises(Rejected, match="lone surrogate"):
        await heard(chat, Request((Message("user", "oh \ud83d"),)))
    assert server.requests == []


async def test_a_dead_port_is_named_with_its_address(dead_port: int) -> None:
    wire = Wire("gone", f"http://127.0.0.1:{dead_port}/v1", remote=False)
    with pytest.raises(Unreachable, match=f"gone: unreachable: cannot reach http://127.0.0.1:{dead_port}/v1"):
        await wire.ask("/models")
    await wire.aclose()


async def test_a_closed_wire_opens_again_when_it_is_used(server: ScriptedServer, chat: OpenAIChat, wire: Wire) -> None:
    await heard(chat)
    await wire.aclose()
    assert text_of(await heard(chat)) == "You said: hello"


async def test_one_connection_serves_one_question_after_the_other(server: ScriptedServer) -> None:
    ports: set[object] = set()
    wire = Wire("kept", server.openai_url, remote=False)
    for _ in range(3):
        async with wire.stream("/chat/completions", {"messages": [], "stream": True}) as response:
            ports.add(response.extensions["network_stream"].get_extra_info("client_addr"))
            await response.aread()
    await wire.aclose()
    assert len(ports) == 1


def test_every_model_error_ends_in_exit_5_but_an_unknown_model_in_2() -> None:
    def all_below(kind: type[ModelError]) -> list[type[ModelError]]:
        return [kind, *(found for child in kind.__subclasses__() for found in all_below(child))]

    ours = [kind for kind in all_below(ModelError) if kind.__module__ == "onbook.models.errors"]
    assert {kind.__name__ for kind in ours if kind("x", "y").outcome.exit_code != 5} == {"ModelNotFound"}


async def test_a_look_up_that_goes_unanswered_is_silence(server: ScriptedServer) -> None:
    server.rule(lambda _: True, SlowFirstByte(30), path="/v1/models")
    wire = Wire("quiet", server.openai_url, remote=False, silence=0.2)
    with pytest.raises(WentSilent, match=r"went silent for 0\.2 s"):
        await wire.ask("/models")
    await wire.aclose()
