"""Servers that do not stop: an answer that is too large is none, and after its end nobody is waited for."""

import pytest

from onbook.models import http, streaming
from onbook.models.errors import MalformedStream, Rejected
from onbook.models.http import Wire
from onbook.models.messages import Text
from onbook.models.openai_chat import OpenAIChat
from onbook.models.sse import EventStream
from onbook.models.thinking import LONGEST_LEAD, ThinkSplitter
from tests.models.asking import heard, heard_until_it_failed, text_of
from tests.scripted import Raw, ScriptedServer

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
WORD = b'data: {"choices": [{"delta": {"content": "word "}}]}\n\n'
END = b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "LONGEST_ANSWER", 2 << 20)
    monkeypatch.setattr(streaming, "LONGEST_EVENT", 1 << 20)
    monkeypatch.setattr(streaming, "AFTER_THE_END", 0.05)
    monkeypatch.setattr(http, "LONGEST_LOOKUP", 1 << 20)


async def test_words_without_end_are_broken_off(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Raw(HEAD, WORD * 100))
    answer, error = await heard_until_it_failed(chat)
    assert text_of(answer).startswith("word word ")
    assert str(error) == "scripted: malformed stream: an answer of more than 2 MiB; it has no end"


@pytest.mark.parametrize("again", [b"o" * 65_536, b"data: " + b"o" * 65_530 + b"\n"], ids=["a line", "lines"])
async def test_an_event_without_end_is_broken_off(server: ScriptedServer, chat: OpenAIChat, again: bytes) -> None:
    server.replies(Raw(HEAD + b"data: ", again))
    answer, error = await heard_until_it_failed(chat)
    assert (answer, type(error)) == ([], MalformedStream)
    assert "an event of the answer of more than 1 MiB" in str(error)


async def test_a_server_that_does_not_hang_up_is_not_waited_for(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Raw(HEAD + WORD + END, stays=True))
    assert text_of(await heard(chat)) == "word "


async def test_a_server_that_says_nothing_for_ever_after_its_end_is_not_waited_for(
    server: ScriptedServer, chat: OpenAIChat
) -> None:
    server.replies(Raw(HEAD + WORD + END, b": still here\n\n"))
    assert text_of(await heard(chat)) == "word "


async def test_of_a_complaint_without_end_the_beginning_is_read(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Raw(b"HTTP/1.1 400 Bad Request\r\n\r\n", b"o" * 65_536))
    _, error = await heard_until_it_failed(chat)
    assert (type(error), len(str(error)) < 500) == (Rejected, True)


async def test_a_list_of_models_without_end_is_broken_off(server: ScriptedServer, wire: Wire) -> None:
    server.rule(lambda _: True, Raw(b"HTTP/1.1 200 OK\r\n\r\n[", b"1," * 30_000), path="/v1/models")
    with pytest.raises(MalformedStream, match="an answer of more than 1 MiB"):
        await wire.ask("/models")


def test_what_waits_is_the_event_that_is_not_complete() -> None:
    stream = EventStream()
    stream.feed(b"data: 1\n\ndata: 2")
    assert stream.waiting == 7
    stream.feed(b"2\n")
    assert stream.waiting == 9
    assert stream.feed(b"\n") == [b"22"]
    assert stream.waiting == 0


def test_blank_without_end_is_no_longer_held_back() -> None:
    splitter = ThinkSplitter()
    assert splitter.feed(" " * LONGEST_LEAD) == []
    assert splitter.feed(" ") == [Text(" " * (LONGEST_LEAD + 1))]
