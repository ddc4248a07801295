"""The tool loop: what a model asks for is done and told, whatever it asks for and however it asks."""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.events import Note, ProcessFinished, RunFinished, TextDelta, ToolCalled, ToolFinished
from onbook.models import messages as models
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.tool_loop import sendable
from onbook.session.tools.builtin import builtin_tools
from tests.scripted import Reply, Request, ScriptedServer, Times, ToolCall
from tests.session.conftest import Events, MakeChat, MakeDoor
from tests.session.shouting import SHOUT, call, tool


async def test_what_a_tool_gives_goes_back_to_the_model(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply("Let me see.", tool_calls=(call("hey"),)), Reply("It said hey!"))
    chat = make_chat(tools=[SHOUT])
    ended = await chat.turn(Prompt("Shout"))
    assert (ended.outcome, ended.text) == (Outcome.PASSED, "It said hey!")
    offered, again = server.chats
    assert [each["function"]["name"] for each in offered.body["tools"]] == ["shout"]
    assert again.messages[1:] == [
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "shout", "arguments": '{"word": "hey"}'}}
            ],
        },
        {"role": "tool", "content": "hey!", "tool_call_id": "c1"},
    ]
    called, done = events.one(ToolCalled), events.one(ToolFinished)
    assert (called.call, done.call, done.name, done.ok, done.result) == ("c1", "c1", "shout", True, "hey!")
    assert events.one(RunFinished).text == "Let me see.\n\nIt said hey!"
    assert "".join(event.text for event in events.of(TextDelta)) == "Let me see.\n\nIt said hey!"


async def test_totals_are_those_of_all_rounds(make_chat: MakeChat, server: ScriptedServer, events: Events) -> None:
    server.replies(Reply("", tool_calls=(call("a"),), usage=(10, 2)), Reply("ok", usage=(20, 5)))
    await make_chat(tools=[SHOUT], window=100).turn(Prompt("Shout"))
    finished = events.one(RunFinished)
    assert (finished.totals.prompt_tokens, finished.totals.completion_tokens) == (30, 7)
    assert finished.totals.context_used == pytest.approx(0.25)
    assert finished.running is not None
    assert (finished.running.prompt_tokens, finished.running.completion_tokens) == (30, 7)


@pytest.mark.parametrize("protocol", ["openai", "anthropic", "ollama"])
async def test_the_next_turn_knows_of_the_tools(make_chat: MakeChat, server: ScriptedServer, protocol: str) -> None:
    server.replies(Reply("", tool_calls=(call("a"), call("b", "c2"))), Reply("Done."), Reply("Welcome."))
    chat = make_chat(f"{protocol}://127.0.0.1:{server.port}{'/v1' if protocol == 'openai' else ''}", tools=[SHOUT])
    await chat.turn(Prompt("Shout"))
    await chat.turn(Prompt("Thanks"))
    sent = server.chats[-1].messages
    if protocol == "anthropic":
        _, calls, results, done, _ = sent
        assert [block["type"] for block in calls["content"]] == ["tool_use", "tool_use"]
        assert [block["content"] for block in results["content"]] == ["a!", "b!"]
        ids = [block["id"] for block in calls["content"]]
        assert [block["tool_use_id"] for block in results["content"]] == ids
    else:
        _, calls, one, two, done, _ = sent
        ids = [each["id"] for each in calls["tool_calls"]]
        assert [(each["role"], each["content"], each["tool_call_id"]) for each in (one, two)] == [
            ("tool", "a!", ids[0]),
            ("tool", "b!", ids[1]),
        ]
    assert len(set(ids)) == 2
    assert all(len(each) == 9 and each.isalnum() for each in ids)  # Mistral takes no other
    assert done["role"] == "assistant"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (ToolCall("c1", "shout", '{"word": '), "error: the arguments are not JSON"),
        (ToolCall("c1", "shout", '["word"]'), "error: the arguments must be a JSON object, as in {…}"),
        (ToolCall("c1", "shut"), "error: there is no tool shut (there are: shout, read_file, write_file, "),
        (ToolCall("c1", "shut"), "run_command, git); did you mean shout?"),
        (
            ToolCall("c1", "read_file"),
            "error: the arguments do not fit: Object missing required field `path`; read_file",
        ),
        (
            ToolCall("c1", "read_file", '{"path": "../outside"}'),
            "error: refused to read ../outside: it leads out of the",
        ),
        (ToolCall("c1", "read_file", '{"path": "~/.ssh/id_rsa"}'), "error: refused to read ~/.ssh/id_rsa: "),
        (ToolCall("c1", "write_file", '{"path": "a", "content": ""}'), "there is nobody to ask"),
        (ToolCall("c1", "search_files", '{"pattern": "("}'), "error: '(' is not a pattern: missing ): ("),
    ],
)
async def test_what_goes_wrong_is_told_to_the_model(
    make_chat: MakeChat, make_door: MakeDoor, server: ScriptedServer, events: Events, asked: ToolCall, told: str
) -> None:
    server.replies(Reply("", tool_calls=(asked,)), Reply("I see."))
    ended = await make_chat(tools=[SHOUT, *builtin_tools(make_door())]).turn(Prompt("Go"))
    assert ended.outcome is Outcome.PASSED
    sent = server.chats[1].messages
    assert told in sent[-1]["content"]
    assert isinstance(json.loads(sent[-2]["tool_calls"][0]["function"]["arguments"]), dict)
    assert not events.one(ToolFinished).ok


async def test_a_tool_that_breaks_does_not_break_the_turn(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    async def broken(_: Mapping[str, Any]) -> str:
        raise KeyError("oh")

    server.replies(Reply("", tool_calls=(ToolCall("c1", "break"),)), Reply("Never mind."))
    assert (await make_chat(tools=[tool("break", broken)]).turn(Prompt("Go"))).text == "Never mind."
    assert events.one(ToolFinished).result == "error: internal error: KeyError: 'oh'"
    assert events.one(Note).level == "warning"


async def _trace(make_chat: MakeChat, server: ScriptedServer, *, reads_only: bool) -> list[str]:
    """When two calls of one reply begin and end."""
    trace: list[str] = []

    async def work(arguments: Mapping[str, Any]) -> str:
        trace.append(f"begin {arguments['word']}")
        for _ in range(3):
            await asyncio.sleep(0)
        trace.append(f"end {arguments['word']}")
        return str(arguments["word"])

    server.replies(Reply("", tool_calls=(call("a"), call("b", "c2"))), Reply("ok"))
    await make_chat(tools=[tool("shout", work, reads_only=reads_only)]).turn(Prompt("Go"))
    assert [message["content"] for message in server.chats[-1].messages[-2:]] == ["a", "b"]
    return trace


async def test_calls_that_only_read_run_side_by_side(make_chat: MakeChat, server: ScriptedServer) -> None:
    assert await _trace(make_chat, server, reads_only=True) == ["begin a", "begin b", "end a", "end b"]


async def test_calls_that_change_something_run_in_order(make_chat: MakeChat, server: ScriptedServer) -> None:
    assert await _trace(make_chat, server, reads_only=False) == ["begin a", "end a", "begin b", "end b"]


async def test_a_loop_without_end_is_ended_with_an_answer(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    count = iter(range(100))

    def always(request: Request) -> Reply:
        if "tools" not in request.body:
            return Reply("This is what I have.")
        return Reply("", tool_calls=(call(str(next(count)), "same"),))

    server.rule(lambda _: True, always)
    ended = await make_chat(tools=[SHOUT], rounds=4).turn(Prompt("Go"))
    assert (ended.outcome, ended.text) == (Outcome.PASSED, "This is what I have.")
    assert len(server.chats) == 5
    assert len({event.call for event in events.of(ToolFinished)}) == 4
    last = server.chats[-1].messages
    assert [message["role"] for message in last] == ["user", "assistant"] * 4 + ["user"]
    assert last[1]["content"] == '[used shout with {"word": "0"}]'
    assert last[-1]["content"].startswith("[shout gave back]\n3!\n\nThat was the last round of tools.")
    assert events.one(Note).text.startswith("4 rounds of tools are the most in one turn (tools.rounds)")


async def test_a_model_that_never_answers_ends_the_turn(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.rule(lambda _: True, Reply("", tool_calls=(call("again"),)))
    ended = await make_chat(tools=[SHOUT], rounds=2).turn(Prompt("Go"))
    assert ended.outcome is Outcome.MODEL_FAILED
    assert str(ended.error) == (
        "scripted: the model asked for shout instead of answering; 2 rounds of tools are the most (tools.rounds)"
    )


async def test_the_same_call_again_and_again_is_pointed_out(make_chat: MakeChat, server: ScriptedServer) -> None:
    server.replies(Times(3, Reply("", tool_calls=(call("x"),))), Reply("All right."))
    await make_chat(tools=[SHOUT]).turn(Prompt("Go"))
    results = [message["content"] for message in server.chats[-1].messages if message["role"] == "tool"]
    assert results[:2] == ["x!", "x!"]
    assert results[2].startswith("x!\n[this same call has given this same result 3 times in a row")


async def test_a_call_that_is_written_out_as_text_is_made(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply('<tool_call>{"name": "shout", "arguments": {"word": "hm"}}</tool_call>'), Reply("It did."))
    assert (await make_chat(tools=[SHOUT]).turn(Prompt("Go"))).text == "It did."
    assert events.one(ToolCalled).name == "shout"
    assert server.chats[1].messages[-1]["content"] == "hm!"


@given(
    st.text() | st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_whatever_the_arguments_were_an_object_is_sent_back(arguments: Any) -> None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    sent = json.loads(sendable(models.ToolCall("c1", "look", text)).arguments)
    assert isinstance(sent, dict)
    assert sent == arguments or set(sent) <= {"malformed"} or sent == json.loads(text)


async def test_a_model_reads_edits_tests_and_answers(
    make_chat: MakeChat, make_door: MakeDoor, server: ScriptedServer, events: Events, workspace: Path
) -> None:
    (workspace / "sums.py").write_text("def add(a, b):\n    return a - b\n")
    (workspace / "test_sums.py").write_text("from sums import add\n\n\ndef test_add():\n    assert add(2, 2) == 4\n")
    program = Path(sys.executable).name
    steps = [
        ("read_file", {"path": "sums.py"}),
        ("edit_file", {"path": "sums.py", "old": "a - b", "new": "a + b"}),
        ("run_command", {"command": f"{program} -m pytest -q -p no:cacheprovider test_sums.py"}),
        ("read_file", {"path": "../outside"}),
        ("read_file", {"path": "~/.ssh/id_ed25519"}),
    ]
    for number, (name, arguments) in enumerate(steps):
        server.replies(Reply("", tool_calls=(ToolCall(f"c{number}", name, json.dumps(arguments)),)))
    server.replies(Reply("The tests pass now."))
    door = make_door("write:sums.py", programs=(program,))
    ended = await make_chat(tools=builtin_tools(door)).turn(Prompt("Make the tests pass"))
    assert ended.text == "The tests pass now."
    assert (workspace / "sums.py").read_text() == "def add(a, b):\n    return a + b\n"
    read, edited, tested, outside, keys = events.of(ToolFinished)
    assert read.result == "def add(a, b):\n    return a - b"
    assert edited.result == "edited sums.py (line 2)"
    assert "1 passed" in tested.result
    ran = events.one(ProcessFinished)
    assert (ran.exit_code, ran.problem) == (0, "")
    assert [each.ok for each in (read, edited, tested, outside, keys)] == [True, True, True, False, False]
    told = [message["content"] for message in server.chats[-1].messages if message["role"] == "tool"]
    assert told[-2].startswith("error: refused to read ../outside: it leads out of the workspace")
    assert told[-1].startswith("error: refused to read ~/.ssh/id_ed25519: it lies outside the workspace")
    lines = (workspace / ".onbook" / "audit" / "audit.jsonl").read_text().splitlines()
    audited = [(entry["effect"]["kind"], entry["verdict"]) for entry in map(json.loads, lines)]
    assert audited == [
        ("read", "allow"),
        ("read", "allow"),
        ("write", "session"),
        ("run", "allow"),
        ("read", "deny"),
        ("read", "deny"),
    ]
