"""Calls of tools that a model writes out as text."""

import json

import pytest

from onbook.session.tools.spoken_calls import spoken_calls

READ = '{"name": "read_file", "arguments": {"path": "a"}}'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (READ, 1),
        (f"```json\n{READ}\n```", 1),
        (f"<tool_call>\n{READ}\n</tool_call>", 1),
        (f"<tool_call>{READ}</tool_call>\n<tool_call>{READ}</tool_call>", 2),
        ('{"name": "read_file", "parameters": {"path": "a"}}', 1),
        (f"I would call {READ}", 0),
        (f"<tool_call>{READ}</tool_call> and so on", 0),
        ('{"name": "rm", "arguments": {}}', 0),
        ('{"name": "read_file", "arguments": "a"}', 0),
        ('{"answer": 42}', 0),
        ("", 0),
        ("[" * 100_000, 0),
        ("<tool_call>" * 20_000, 0),
        ("```json\n" + "\n" * 100_000 + "x", 0),
        (f"<tool_call>{READ}</tool_call></tool_call>", 0),
    ],
)
def test_a_reply_that_is_nothing_but_calls_is_a_call(text: str, count: int) -> None:
    calls = spoken_calls(text, {"read_file"})
    assert len(calls) == count
    assert all(call.name == "read_file" and json.loads(call.arguments) == {"path": "a"} for call in calls)
