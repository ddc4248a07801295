"""What is asked of Anthropic's Messages API: the request in its words."""

import base64

import pytest

from onbook.models.anthropic_messages import MAX_TOKENS, AnthropicMessages
from onbook.models.messages import Image, Message, Request, ToolCall, ToolSpec
from tests.models.asking import HELLO, SCHEMA, body_of
from tests.scripted import ScriptedServer


async def test_nothing_is_sent_that_nobody_set(server: ScriptedServer, claude: AnthropicMessages) -> None:
    assert await body_of(server, claude, HELLO) == {
        "model": "claude-scripted",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}],
        "max_tokens": MAX_TOKENS,
        "stream": True,
    }


async def test_every_setting_this_api_has_is_sent_under_its_name(
    server: ScriptedServer, claude: AnthropicMessages
) -> None:
    request = Request(HELLO.messages, temperature=0.0, top_p=0.5, stop=("END",), seed=1, max_tokens=9, logprobs=True)
    sent = await body_of(server, claude, request)
    assert {key: sent[key] for key in set(sent) - {"model", "messages", "stream"}} == {
        "temperature": 0.0,
        "top_p": 0.5,
        "stop_sequences": ["END"],
        "max_tokens": 9,
    }


async def test_the_system_prompt_stands_apart(server: ScriptedServer, claude: AnthropicMessages) -> None:
    sent = await body_of(server, claude, Request((Message("system", "Be brief."), Message("user", "hello"))))
    assert (sent["system"], [message["role"] for message in sent["messages"]]) == ("Be brief.", ["user"])


async def test_tools_are_offered_with_their_schema(server: ScriptedServer, claude: AnthropicMessages) -> None:
    sent = await body_of(server, claude, Request(HELLO.messages, tools=(ToolSpec("look", "Look around", SCHEMA),)))
    assert sent["tools"] == [{"name": "look", "description": "Look around", "input_schema": SCHEMA}]


async def test_a_schema_is_a_tool_the_model_must_use(server: ScriptedServer, claude: AnthropicMessages) -> None:
    sent = await body_of(server, claude, Request(HELLO.messages, schema=SCHEMA))
    assert (sent["tools"][0]["input_schema"], sent["tool_choice"]) == (SCHEMA, {"type": "tool", "name": "answer"})


async def test_an_image_goes_along_in_base64(server: ScriptedServer, claude: AnthropicMessages) -> None:
    picture = Image("image/png", b"\x89PNG", "a.png")
    sent = await body_of(server, claude, Request((Message("user", "what is this?", (picture,)),)))
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(b"\x89PNG").decode()}
    assert sent["messages"][0]["content"] == [
        {"type": "image", "source": source},
        {"type": "text", "text": "what is this?"},
    ]


async def test_tool_results_join_the_users_next_turn(server: ScriptedServer, claude: AnthropicMessages) -> None:
    calls = (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "go", ""))
    request = Request(
        (
            Message("user", "hello"),
            Message("assistant", "", tool_calls=calls),
            Message("tool", "seen", tool_call_id="a"),
            Message("tool", "gone", tool_call_id="b"),
            Message("user", "and now?"),
        )
    )
    sent = await body_of(server, claude, request)
    assert sent["messages"][1:] == [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}},
                {"type": "tool_use", "id": "b", "name": "go", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "seen"},
                {"type": "tool_result", "tool_use_id": "b", "content": "gone"},
                {"type": "text", "text": "and now?"},
            ],
        },
    ]


@pytest.mark.parametrize("arguments", ["{not json", "[1]", "7", "{" * 9000])
async def test_tool_arguments_that_are_no_object_are_sent_as_what_they_were(
    server: ScriptedServer, claude: AnthropicMessages, arguments: str
) -> None:
    asked = Message("assistant", "", tool_calls=(ToolCall("a", "look", arguments),))
    sent = await body_of(server, claude, Request((asked,)))
    assert sent["messages"][0]["content"][0]["input"] == {"malformed": arguments}


async def test_an_empty_message_leaves_no_empty_turn(server: ScriptedServer, claude: AnthropicMessages) -> None:
    said = (Message("user", "hello"), Message("assistant", " \n"), Message("user", "still there?"))
    sent = await body_of(server, claude, Request(said))
    assert [(turn["role"], len(turn["content"])) for turn in sent["messages"]] == [("user", 2)]
