"""The scripted server speaks each protocol as its real servers do."""

import httpx2
import pytest

from tests.scripted import Reply, ScriptedServer, ToolCall
from tests.scripted_server.plain_client import CHATS, HELLO, STREAMED, events


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
