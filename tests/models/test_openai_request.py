"""What a request looks like on the wire of chat completions."""

import base64

import pytest

from onbook.models.http import Wire
from onbook.models.messages import Image, Message, Request, ToolCall, ToolSpec
from onbook.models.openai_chat import OpenAIChat
from tests.models.asking import HELLO, SCHEMA, body_of, heard
from tests.scripted import ScriptedServer

WEATHER = ToolSpec("weather", "What the sky does", {"type": "object", "properties": {"at": {"type": "string"}}})


async def test_nothing_is_sent_that_nobody_set(server: ScriptedServer, chat: OpenAIChat) -> None:
    assert await body_of(server, chat, HELLO) == {
        "model": "llama3:latest",
        "messages": [{"role": "user", "content": "hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_every_setting_is_sent_under_its_name(server: ScriptedServer, chat: OpenAIChat) -> None:
    request = Request(
        HELLO.messages, temperature=0.0, top_p=0.5, stop=("END", "\n"), seed=0, max_tokens=9, logprobs=True
    )
    sent = await body_of(server, chat, request)
    wanted = {"temperature": 0.0, "top_p": 0.5, "stop": ["END", "\n"], "seed": 0, "max_tokens": 9, "logprobs": True}
    assert {key: sent[key] for key in wanted} == wanted


async def test_openai_itself_is_given_the_longest_answer_under_its_own_name(
    server: ScriptedServer, chat: OpenAIChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onbook.models.openai_chat.OPENAI", server.openai_url)
    sent = await body_of(server, chat, Request(HELLO.messages, max_tokens=9))
    assert sent["max_completion_tokens"] == 9
    assert "max_tokens" not in sent


async def test_tools_are_offered_as_functions(server: ScriptedServer, chat: OpenAIChat) -> None:
    sent = await body_of(server, chat, Request(HELLO.messages, tools=(WEATHER,)))
    function = {"name": "weather", "description": "What the sky does", "parameters": WEATHER.parameters}
    assert sent["tools"] == [{"type": "function", "function": function}]


async def test_a_schema_is_a_response_format(server: ScriptedServer, chat: OpenAIChat) -> None:
    sent = await body_of(server, chat, Request(HELLO.messages, schema=SCHEMA))
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA


async def test_an_image_goes_along_as_a_data_url(server: ScriptedServer, chat: OpenAIChat) -> None:
    picture = Image("image/png", b"\x89PNG", "a.png")
    sent = await body_of(server, chat, Request((Message("user", "what is this?", (picture,)),)))
    url = "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()
    assert sent["messages"][0]["content"] == [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]


async def test_an_image_without_a_word_brings_no_empty_text(server: ScriptedServer, chat: OpenAIChat) -> None:
    sent = await body_of(server, chat, Request((Message("user", "", (Image("image/png", b"x", "a.png"),)),)))
    assert [part["type"] for part in sent["messages"][0]["content"]] == ["image_url"]


async def test_tool_calls_and_their_results_go_back_as_they_were(server: ScriptedServer, chat: OpenAIChat) -> None:
    call = ToolCall("call_1", "weather", "{not json")
    asked = Message("assistant", "", tool_calls=(call,))
    sent = await body_of(server, chat, Request((asked, Message("tool", "rain", tool_call_id="call_1"))))
    function = {"name": "weather", "arguments": "{not json"}
    assert sent["messages"] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        },
        {"role": "tool", "content": "rain", "tool_call_id": "call_1"},
    ]


async def test_the_key_travels_in_its_header_alone(server: ScriptedServer) -> None:
    wire = Wire("x", server.openai_url, headers={"authorization": "Bearer sk-onbook-test-key"}, remote=False)
    await heard(OpenAIChat(wire, "m"))
    await wire.aclose()
    request = server.chats[0]
    assert (request.key, b"sk-onbook" in request.raw) == ("sk-onbook-test-key", False)
