"""Anthropic's Messages API: its events as deltas, its faults as typed errors."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onbook.models.anthropic_messages import AnthropicMessages, EventReader
from onbook.models.errors import MalformedStream, ModelError, Overloaded, RateLimited
from onbook.models.messages import Finish, Reasoning, Request, Retrying, Text, ToolCall, Usage
from tests.models.asking import HELLO, SCHEMA, events, heard, heard_until_it_failed, raw_stream, reasoning_of, text_of
from tests.scripted import CleanEndWithoutFinish, Cut, ErrorInStream, Garbage, Reply, ScriptedServer, known_errors
from tests.scripted import ToolCall as Called

ODD = 'Grüße, 世界 👩‍🚀! "quoted" \\ back\tslash\n\nend'


async def test_the_text_arrives_piece_by_piece(server: ScriptedServer, claude: AnthropicMessages) -> None:
    server.replies(Reply(deltas=("Hel", "lo")))
    assert [delta for delta in await heard(claude) if isinstance(delta, Text)] == [Text("Hel"), Text("lo")]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
async def test_any_chunk_boundary_gives_the_same_answer(
    server: ScriptedServer, claude: AnthropicMessages, size: int
) -> None:
    server.replies(Reply(ODD, reasoning="tschüß 🤔", usage=(3, 4), cut_every=size))
    answer = await heard(claude)
    assert (text_of(answer), reasoning_of(answer), answer[-1]) == (ODD, "tschüß 🤔", Usage(3, 4))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "refusal"),
    ],
)
async def test_the_stop_reason_is_told_in_our_words(
    server: ScriptedServer, claude: AnthropicMessages, theirs: str, ours: str
) -> None:
    server.replies(Reply("Hello", finish_reason=theirs))
    assert Finish(ours) in await heard(claude)


async def test_cached_prompt_tokens_are_prompt_tokens(server: ScriptedServer, claude: AnthropicMessages) -> None:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}
    server.replies(
        events(
            {"type": "message_start", "message": {"usage": usage}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
            {"type": "message_stop"},
        )
    )
    assert await heard(claude) == [Finish("stop"), Usage(125, 2)]


async def test_an_answer_without_usage_is_whole(server: ScriptedServer, claude: AnthropicMessages) -> None:
    server.replies(Reply("Hello", usage=None))
    assert await heard(claude) == [Text("Hello"), Finish("stop")]


async def test_thinking_is_reasoning_and_its_signature_is_nothing(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(Reply("42", reasoning="6 x 7", usage=None))
    assert await heard(claude) == [Reasoning("6 x 7"), Text("42"), Finish("stop")]


async def test_a_think_tag_in_the_text_is_reasoning(server: ScriptedServer, claude: AnthropicMessages) -> None:
    server.replies(Reply(deltas=("<th", "ink>\nhm", "</thi", "nk>", "\n\n", "42"), cut_every=5, usage=None))
    assert await heard(claude) == [Reasoning("hm"), Text("42"), Finish("stop")]


async def test_a_thought_that_never_closes_is_told_before_the_finish(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(Reply(deltas=("<think>hm </thi",), usage=None, finish_reason="length"))
    assert await heard(claude) == [Reasoning("hm "), Reasoning("</thi"), Finish("length")]


async def test_what_could_have_been_a_tag_is_told_before_the_tool_use(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(Reply(deltas=("<thi",), tool_calls=(Called("a", "go", "{}"),), usage=None))
    assert (await heard(claude))[:2] == [Text("<thi"), ToolCall("a", "go", "{}")]


async def test_tool_uses_come_out_whole_and_in_order(server: ScriptedServer, claude: AnthropicMessages) -> None:
    calls = (Called("a", "look", '{"at": "süd"}'), Called("b", "go", ""))
    server.replies(Reply("Let me see.", tool_calls=calls, argument_piece=3, cut_every=4))
    assert [delta for delta in await heard(claude) if isinstance(delta, ToolCall)] == [
        ToolCall("a", "look", '{"at": "süd"}'),
        ToolCall("b", "go", "{}"),
    ]


async def test_a_tool_use_sent_whole_at_its_start_keeps_its_input(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    block = {"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}}
    server.replies(
        events(
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_stop"},
        )
    )
    assert await heard(claude) == [ToolCall("a", "look", '{"at":1}')]


async def test_pings_and_events_of_the_future_are_passed_over(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(
        events(
            {"type": "ping"},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "hologram"}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "hologram_delta", "light": 1}},
            {"type": "content_block_stop", "index": 0},
            {"type": "applause"},
            {"type": "message_stop"},
            end=b"\r\n\r\n",
        )
    )
    assert await heard(claude) == []


async def test_a_schema_bound_answer_is_text_that_finishes_as_text(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(Reply(tool_calls=(Called("a", "answer", '{"n": 42}'),), usage=None, cut_every=3))
    answer = await heard(claude, Request(HELLO.messages, schema=SCHEMA))
    assert (text_of(answer), answer[-1]) == ('{"n": 42}', Finish("stop"))


async def test_an_empty_schema_bound_answer_is_an_empty_object(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(Reply(tool_calls=(Called("a", "answer", ""),), usage=None))
    answer = await heard(claude, Request(HELLO.messages, schema=SCHEMA))
    assert answer == [Text("{}"), Finish("stop")]


async def test_a_tool_that_happens_to_be_called_answer_is_a_tool(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(Reply(tool_calls=(Called("a", "answer", "{}"),), usage=None))
    assert (await heard(claude))[0] == ToolCall("a", "answer", "{}")


BROKEN: dict[str, Any] = {
    "ended without message_stop": CleanEndWithoutFinish(),
    "cut": Cut(),
    "cut inside an event": Cut(inside=True),
    "garbage": Garbage(),
    "bytes that are no UTF-8": Garbage(b'data: {"type":"\xff"}\n\n'),
    "JSON of another kind": Garbage(b"data: [1]\n\n"),
    "nested beyond reason": Garbage(b'data: {"type":' + b"[" * 9000 + b"\n\n"),
    "stopped but not ended": events(
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hello"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    ),
    "nothing at all": raw_stream(b""),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN.keys())
async def test_a_message_that_does_not_end_as_it_should_is_malformed(
    server: ScriptedServer, claude: AnthropicMessages, answer: Any
) -> None:
    server.replies(answer)
    with pytest.raises(MalformedStream):
        await heard(claude)


async def test_overloaded_in_the_stream_after_text_is_raised_at_once(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    server.replies(known_errors.anthropic_overloaded_in_stream())
    answer, error = await heard_until_it_failed(claude)
    assert (text_of(answer), type(error)) == ("The quick", Overloaded)


async def test_overloaded_in_the_stream_before_any_text_is_tried_again(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    overloaded = ErrorInStream({"type": "overloaded_error", "message": "Overloaded"}, after_chunks=0)
    server.replies(overloaded, Reply("Hello"))
    answer = await heard(claude)
    assert (isinstance(answer[0], Retrying), text_of(answer)) == (True, "Hello")


async def test_a_rate_limit_in_the_stream_is_typed(server: ScriptedServer, claude: AnthropicMessages) -> None:
    server.replies(ErrorInStream({"type": "rate_limit_error", "message": "slow down"}))
    with pytest.raises(RateLimited):
        await heard(claude)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "delta", "message", "usage", "error", "content_block", "input", "text", "name"]),
            inner
            | st.sampled_from(["content_block_start", "content_block_stop", "message_delta", "error", "tool_use"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=3))
@settings(max_examples=100)
def test_no_events_make_the_reader_raise_anything_but_its_own_errors(values: list[Any]) -> None:
    reader = EventReader("x", schema_bound=True)
    try:
        for value in values:
            list(reader.read(json.dumps(value).encode()))
    except ModelError:
        pass
