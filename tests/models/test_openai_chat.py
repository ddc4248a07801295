"""Chat completions: what comes off the wire, whole or broken, as deltas and typed errors."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onbook.models.errors import ContextOverflow, MalformedStream, ModelError, Overloaded, Unreachable
from onbook.models.http import Wire
from onbook.models.messages import Finish, Message, Reasoning, Request, Text, ToolCall, Usage
from onbook.models.openai_chat import ChunkReader, OpenAIChat
from onbook.models.sse import EventStream
from tests.models.asking import (
    HELLO,
    chunk,
    events,
    heard,
    heard_until_it_failed,
    raw_stream,
    reasoning_of,
    server_that_sends,
    text_of,
)
from tests.scripted import CleanEndWithoutFinish, Cut, ErrorInStream, Garbage, Reply, ScriptedServer
from tests.scripted import ToolCall as Called

ODD = 'Grüße, 世界 👩‍🚀! "quoted" \\ back\tslash\n\nand a line \u2028 more'


# A whole answer


async def test_the_text_arrives_piece_by_piece(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Reply(deltas=("Hel", "lo")))
    assert [delta for delta in await heard(chat) if isinstance(delta, Text)] == [Text("Hel"), Text("lo")]


async def test_the_backends_own_token_counts_are_told(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Reply("Hello", usage=(31, 7)))
    assert Usage(31, 7) in await heard(chat)


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
async def test_the_finish_reason_is_told_once(server: ScriptedServer, chat: OpenAIChat, reason: str) -> None:
    server.replies(Reply("Hello", finish_reason=reason))
    assert [delta for delta in await heard(chat) if isinstance(delta, Finish)] == [Finish(reason)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
async def test_any_chunk_boundary_gives_the_same_answer(server: ScriptedServer, chat: OpenAIChat, size: int) -> None:
    server.replies(Reply(ODD, reasoning="tschüß 🤔", usage=(3, 4), cut_every=size))
    answer = await heard(chat)
    assert (text_of(answer), reasoning_of(answer), answer[-1]) == (ODD, "tschüß 🤔", Usage(3, 4))


@given(st.text(), st.integers(min_value=0))
def test_json_escapes_cut_anywhere_are_read(text: str, place: int) -> None:
    body = b"data: " + json.dumps(chunk("stop", content="x" + text)).encode() + b"\n\n"
    place %= len(body)
    stream, reader = EventStream(), ChunkReader("x")
    data = [*stream.feed(body[:place]), *stream.feed(body[place:])]
    assert text_of(delta for event in data for delta in reader.read(event)) == "x" + text


async def test_each_delta_brings_its_logprobs(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Reply(deltas=("Hel", "lo"), logprobs=(-0.5, -0.25)))
    answer = await heard(chat, Request(HELLO.messages, logprobs=True))
    assert [delta for delta in answer if isinstance(delta, Text)] == [Text("Hel", (-0.5,)), Text("lo", (-0.25,))]


# Reasoning


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_in_a_field_of_its_own_is_no_text(server: ScriptedServer, chat: OpenAIChat, field: str) -> None:
    server.replies(Reply("42", reasoning="six times seven", reasoning_field=field))
    answer = await heard(chat)
    assert (reasoning_of(answer), text_of(answer)) == ("six times seven", "42")


async def test_a_think_tag_in_the_text_is_reasoning(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Reply(deltas=("<th", "ink>\nhm", "</thi", "nk>", "\n\n", "42"), cut_every=5))
    answer = await heard(chat)
    assert (reasoning_of(answer), text_of(answer)) == ("hm", "42")


async def test_a_thought_that_never_closes_is_told_before_the_finish(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Reply(deltas=("<think>hm </thi",), usage=None, finish_reason="length"))
    assert (await heard(chat))[-2:] == [Reasoning("</thi"), Finish("length")]


async def test_content_in_typed_parts_is_told_apart(server: ScriptedServer, chat: OpenAIChat) -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    server.replies(events(chunk(content=[thinking]), chunk("stop", content=[{"type": "text", "text": "42"}])))
    assert await heard(chat) == [Reasoning("hm"), Text("42"), Finish("stop")]


@pytest.mark.parametrize("thinking", ["hm", None, [None, "hm"], 3])
def test_a_thought_of_another_shape_is_passed_over(thinking: Any) -> None:
    data = json.dumps(chunk(content=[{"type": "thinking", "thinking": thinking}])).encode()
    assert list(ChunkReader("x").read(data)) == []


async def test_a_refusal_is_what_the_model_said(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk(refusal="I will not."), chunk("stop")))
    assert await heard(chat) == [Text("I will not."), Finish("stop")]


# Tool calls


async def test_tool_calls_split_over_chunks_come_out_whole_and_in_order(
    server: ScriptedServer, chat: OpenAIChat
) -> None:
    calls = (Called("a", "look", '{"at": "süd"}'), Called("b", "go", "{}"))
    server.replies(Reply(tool_calls=calls, argument_piece=3, cut_every=4, usage=None))
    assert await heard(chat) == [
        ToolCall("a", "look", '{"at": "süd"}'),
        ToolCall("b", "go", "{}"),
        Finish("tool_calls"),
    ]


async def test_tool_calls_sent_whole_come_out_whole(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Reply(tool_calls=(Called("a", "look", '{"x": 1}'), Called("b", "go")), argument_piece=None))
    assert ToolCall("b", "go", "{}") in await heard(chat)


async def test_pieces_of_parallel_calls_may_alternate(server: ScriptedServer, chat: OpenAIChat) -> None:
    pieces = [
        {"index": 1, "id": "b", "function": {"name": "go", "arguments": "{"}},
        {"index": 0, "id": "a", "function": {"name": "look", "arguments": "["}},
        {"index": 1, "function": {"arguments": "}"}},
        {"index": 0, "function": {"arguments": "]"}},
    ]
    server.replies(events(*(chunk(tool_calls=[piece]) for piece in pieces), chunk("tool_calls")))
    assert (await heard(chat))[:2] == [ToolCall("a", "look", "[]"), ToolCall("b", "go", "{}")]


@pytest.mark.parametrize("place", [{"index": 0}, {}, {"index": None}])
async def test_parallel_calls_without_places_of_their_own_stay_apart(
    server: ScriptedServer, chat: OpenAIChat, place: dict[str, Any]
) -> None:
    calls = [place | {"id": name, "function": {"name": name, "arguments": "{}"}} for name in ("a", "b")]
    server.replies(events(*(chunk(tool_calls=[call]) for call in calls), chunk("tool_calls")))
    assert (await heard(chat))[:2] == [ToolCall("a", "a", "{}"), ToolCall("b", "b", "{}")]


async def test_a_call_without_arguments_or_id_gets_both(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk(tool_calls=[{"index": 0, "function": {"name": "now"}}]), chunk("tool_calls")))
    assert (await heard(chat))[0] == ToolCall("call_0", "now", "{}")


# Odd but right


async def test_crlf_comments_and_event_names_do_not_disturb(server: ScriptedServer, chat: OpenAIChat) -> None:
    body = (
        b": OPENROUTER PROCESSING\r\n\r\nevent: message\r\nid: 1\r\n"
        b'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\r\n\r\ndata: [DONE]\r\n\r\n'
    )
    server.replies(raw_stream(body))
    assert await heard(chat) == [Text("Hello"), Finish("stop")]


async def test_done_without_a_finish_reason_is_a_finish(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk(content="Hello"), b"[DONE]"))
    assert await heard(chat) == [Text("Hello"), Finish("stop")]


async def test_tool_calls_before_a_bare_done_are_not_lost(server: ScriptedServer, chat: OpenAIChat) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "look", "arguments": "{}"}}
    server.replies(events(chunk(tool_calls=[call]), b"[DONE]"))
    assert await heard(chat) == [ToolCall("a", "look", "{}"), Finish("tool_calls")]


async def test_a_finish_reason_without_done_is_a_finish(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk(content="Hello"), chunk("stop")))
    assert await heard(chat) == [Text("Hello"), Finish("stop")]


async def test_a_last_event_without_its_blank_line_is_read(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk("stop", content="Hello"), end=b"\n"))
    assert await heard(chat) == [Text("Hello"), Finish("stop")]


async def test_usage_in_a_last_chunk_without_choices_is_read(server: ScriptedServer, chat: OpenAIChat) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}}
    server.replies(events(chunk("stop", content="Hello"), usage, b"[DONE]"))
    assert (await heard(chat))[-1] == Usage(5, 2)


async def test_usage_with_nothing_in_it_does_no_harm(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk("stop", content="Hello") | {"usage": {"prompt_tokens": None}}))
    assert text_of(await heard(chat)) == "Hello"


async def test_counts_that_cannot_be_are_none(server: ScriptedServer, chat: OpenAIChat) -> None:
    usage = {"usage": {"prompt_tokens": -5, "completion_tokens": 10**30}}
    server.replies(events(chunk("stop", content="Hello") | usage))
    assert Usage(0, 0) in await heard(chat)


async def test_a_finish_reason_told_twice_is_one_finish(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(events(chunk("stop", content="Hello"), chunk("stop")))
    assert await heard(chat) == [Text("Hello"), Finish("stop")]


async def test_a_line_that_breaks_inside_the_usage_has_broken_nothing() -> None:
    body = b'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usa'
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n"
    async with server_that_sends(head + body) as url:
        wire = Wire("scripted", url, remote=False)
        answer = await heard(OpenAIChat(wire, "m"))
        await wire.aclose()
    assert answer == [Text("Hello"), Finish("stop")]


# Broken


BROKEN: dict[str, Any] = {
    "ended without a finish": CleanEndWithoutFinish(),
    "cut": Cut(),
    "cut inside an event": Cut(inside=True),
    "garbage": Garbage(),
    "bytes that are no UTF-8": Garbage(b'data: {"choices":[{"delta":{"content":"\xff\xfe"}}]}\n\n'),
    "JSON of another kind": Garbage(b'data: {"choices":"none"}\n\n'),
    "nested beyond reason": Garbage(b"data: " + b"[" * 9000 + b"\n\n"),
    "an empty finish reason": events(chunk("", content="Hello"), chunk("", content=" there")),
    "nothing at all": raw_stream(b""),
    "a whole answer, not a stream": raw_stream(b'{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}'),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN.keys())
async def test_an_answer_that_does_not_end_as_it_should_is_malformed(
    server: ScriptedServer, chat: OpenAIChat, answer: Any
) -> None:
    server.replies(answer)
    with pytest.raises(MalformedStream):
        await heard(chat)


async def test_what_came_before_the_break_was_handed_over(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Cut(after_chunks=2))
    answer, _ = await heard_until_it_failed(chat)
    assert text_of(answer) == "The quick"


async def test_a_connection_reset_in_the_middle_is_unreachable(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Cut(reset=True))
    with pytest.raises(Unreachable, match="lost"):
        await heard(chat)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}, ContextOverflow),
        ({"message": "Provider returned error", "code": 502}, Overloaded),
        ("something went wrong", Overloaded),
    ],
)
async def test_an_error_inside_the_stream_is_typed(
    server: ScriptedServer, chat: OpenAIChat, error: Any, kind: type[ModelError]
) -> None:
    server.replies(ErrorInStream(error))
    with pytest.raises(kind):
        await heard(chat)


@given(st.binary())
@settings(max_examples=200)
def test_no_bytes_make_the_reader_raise_anything_but_its_own_error(data: bytes) -> None:
    try:
        list(ChunkReader("x").read(data))
    except MalformedStream:
        pass


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "content", "usage", "error", "tool_calls", "function", "type", "code"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
@settings(max_examples=200)
def test_no_json_makes_the_reader_raise_anything_but_its_own_errors(value: Any) -> None:
    try:
        list(ChunkReader("x").read(json.dumps(value).encode()))
    except ModelError:
        pass


async def test_one_model_can_be_asked_again_and_again(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(CleanEndWithoutFinish(), Reply("Hello"))
    await heard_until_it_failed(chat)
    assert text_of(await heard(chat, Request((Message("user", "again"),)))) == "Hello"
