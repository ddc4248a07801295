"""The tool loop: what a model asks for is done and told, whatever it asks for and however it asks."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.budget_settings import BudgetSettings
from onbook.config.settings import Route, Settings
from onbook.events import Note, ProcessFinished, RunFinished, RunStarted, TextDelta, ToolCalled, ToolFinished
from onbook.models import messages as models
from onbook.models.messages import Image, ToolSpec
from onbook.models.resolver import NoModel, Resolved, Resolver
from onbook.models.routes import backend_of
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.tool_loop import sendable
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.tool import Tool
from tests.scripted import Reply, Request, ScriptedServer, Stall, Times, ToolCall, known_errors
from tests.session.conftest import Events, MakeChat, MakeDoor

Work = Callable[[Mapping[str, Any]], Awaitable[str]]


def tool(name: str, work: Work, *, reads_only: bool = True) -> Tool:
    return Tool(ToolSpec(name, f"Does {name}.", {"type": "object", "properties": {}}), work, reads_only)


async def _shout(arguments: Mapping[str, Any]) -> str:
    return f"{arguments.get('word', 'nothing')}!"


SHOUT = tool("shout", _shout)


def call(word: str, name: str = "c1") -> ToolCall:
    return ToolCall(name, "shout", json.dumps({"word": word}))


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


@pytest.mark.parametrize("backend", known_errors.NO_TOOLS)
async def test_a_model_that_takes_no_tools_is_asked_without(
    make_chat: MakeChat, server: ScriptedServer, events: Events, backend: str
) -> None:
    server.rule(lambda request: "tools" in request.body, known_errors.NO_TOOLS[backend])
    chat = make_chat(tools=[SHOUT])
    assert (await chat.turn(Prompt("one"))).text == "You said: one"
    assert (await chat.turn(Prompt("two"))).text == "You said: two"
    assert ["tools" in request.body for request in server.chats] == [True, False, False]
    note = events.one(Note)
    assert note.text.startswith("llama3:latest works without tools from here on (")


async def test_a_backend_whose_models_call_nothing_is_offered_nothing(
    make_chat: MakeChat, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = make_chat(tools=[SHOUT])
    monkeypatch.setattr((await chat.choice.current()).backend, "calls_tools", False)
    await chat.turn(Prompt("Go"))
    assert "tools" not in server.chats[0].body


async def test_an_answer_held_to_a_schema_is_asked_for_without_tools(
    make_chat: MakeChat, server: ScriptedServer
) -> None:
    server.replies(Reply("{}"))
    await make_chat(tools=[SHOUT], schema={"type": "object"}).turn(Prompt("Go"))
    assert "tools" not in server.chats[0].body


async def test_cancelling_ends_the_programs_and_keeps_what_was_done(
    make_chat: MakeChat, make_door: MakeDoor, server: ScriptedServer, events: Events, workspace: Path
) -> None:
    (workspace / "x.py").write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    write = ToolCall("c1", "write_file", '{"path": "a.txt", "content": "a"}')
    run = ToolCall("c2", "run_command", json.dumps({"command": f"{Path(sys.executable).name} x.py"}))
    server.replies(Reply("Now.", tool_calls=(write, run)))
    programs = (Path(sys.executable).name,)
    chat = make_chat(tools=builtin_tools(make_door("write", programs=programs)))
    turn = asyncio.create_task(chat.turn(Prompt("Go")))
    while not (workspace / "pid").exists() or not (workspace / "pid").read_text():
        await asyncio.sleep(0.01)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    with pytest.raises(ProcessLookupError):
        os.kill(int((workspace / "pid").read_text()), 0)
    assert events.one(RunFinished).outcome == "cancelled"
    assert [(message.role, message.text) for message in chat.conversation.history] == [
        ("user", "Go"),
        ("assistant", "Now."),
        ("tool", "wrote a.txt: 1 line, 1 byte"),
        ("tool", "error: stopped before it was finished"),
        ("assistant", "[stopped here: cancelled]"),
    ]


async def test_a_spent_budget_ends_the_turn_and_keeps_its_tools(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply("So.", tool_calls=(call("a"),), usage=(90, 20)))
    chat = make_chat(tools=[SHOUT], ledger=Ledger(BudgetSettings(tokens=100)))
    ended = await chat.turn(Prompt("Go"))
    assert ended.outcome is Outcome.BUDGET_SPENT
    finished = events.one(RunFinished)
    assert (finished.exit_code, finished.text) == (6, "So.")
    assert [message.text for message in chat.conversation.history] == [
        "Go",
        "So.",
        "a!",
        "[stopped here: budget spent]",
    ]
    assert server.chats[0].body["max_tokens"] < 100
    again = await chat.turn(Prompt("Go on"))
    assert again.outcome is Outcome.BUDGET_SPENT
    assert len(server.chats) == 1


async def test_an_answer_that_the_budget_cuts_off_is_kept_and_said(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply("Once upon", usage=(6, 95), finish_reason="length"))
    chat = make_chat(ledger=Ledger(BudgetSettings(tokens=100)))
    ended = await chat.turn(Prompt("A tale"))
    assert ended.outcome is Outcome.BUDGET_SPENT
    assert events.of(Note) == []
    assert chat.conversation.history[-1].text == "Once upon\n\n[stopped here: budget spent]"


async def test_the_seconds_of_a_budget_end_an_answer_in_the_middle(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Stall(after_chunks=2))
    chat = make_chat(ledger=Ledger(BudgetSettings(seconds=0.5)))
    ended = await chat.turn(Prompt("Go"))
    assert ended.outcome is Outcome.BUDGET_SPENT
    finished = events.one(RunFinished)
    assert finished.text == "The quick"
    assert finished.totals.estimated
    assert finished.totals.completion_tokens


async def test_a_turn_for_which_there_is_no_model_is_a_run_that_failed(make_chat: MakeChat, events: Events) -> None:
    class Nobody(ModelChoice):
        async def current(self) -> Resolved:
            raise NoModel

    chat = make_chat()
    chat.choice = Nobody(Resolver(Settings(), {}))
    ended = await chat.turn(Prompt("Hello?"))
    assert ended.outcome is Outcome.MODEL_FAILED
    assert events.one(RunStarted).speaker is None
    assert events.one(RunFinished).error.startswith("no model to ask: ")


async def test_a_paste_that_does_not_fit_is_not_sent(make_chat: MakeChat, server: ScriptedServer) -> None:
    ended = await make_chat(window=4000).turn(Prompt("word " * 8000))
    assert ended.outcome is Outcome.MODEL_FAILED
    assert str(ended.error) == (
        "scripted: context limit exceeded: this would be about 10004 tokens and llama3:latest reads 4000; nothing was "
        "sent. Send less, or make room with /compact or /clear"
    )
    assert server.chats == []


async def test_tools_that_say_too_much_for_the_model_end_the_turn_and_are_remembered_in_short(
    make_chat: MakeChat, server: ScriptedServer
) -> None:
    async def long(_: Mapping[str, Any]) -> str:
        return "word " * 6000

    server.replies(Reply("", tool_calls=(ToolCall("c1", "long"),)))
    chat = make_chat(tools=[tool("long", long)], window=4000)
    ended = await chat.turn(Prompt("Go"))
    assert str(ended.error).startswith("scripted: context limit exceeded: this would be about 75")
    assert len(server.chats) == 1
    assert len(chat.conversation.history[2].text) < 600
    assert (await chat.turn(Prompt("What now?"))).outcome is Outcome.PASSED


@given(
    st.text() | st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_whatever_the_arguments_were_an_object_is_sent_back(arguments: Any) -> None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    sent = json.loads(sendable(models.ToolCall("c1", "look", text)).arguments)
    assert isinstance(sent, dict)
    assert sent == arguments or set(sent) <= {"malformed"} or sent == json.loads(text)


async def test_a_model_lent_for_a_turn_speaks_under_its_own_name_and_knows_the_history(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    chat = make_chat(tools=[SHOUT])
    server.replies(Reply("", tool_calls=(call("a"),)), Reply("Done."))
    picture = Image("image/png", b"\x89PNG", "plan.png")
    await chat.turn(Prompt("Look", (picture,)))
    backend = backend_of(Route("other", server.openai_url), {})
    await chat.turn(Prompt("You?"), Resolved(backend, "mistral", "other", "a test"))
    await backend.aclose()
    speaker = events.of(RunStarted)[-1].speaker
    assert speaker is not None
    assert (speaker.name, speaker.model, speaker.remote) == ("other", "mistral", False)
    first, _, result, done, question = server.chats[-1].messages
    assert first["content"] == "[a picture was here: plan.png]\n\nLook"
    assert (result["content"], done["content"], question["content"]) == ("a!", "Done.", "You?")
    await chat.turn(Prompt("And you?"))
    assert server.chats[-1].messages[0]["content"][1]["type"] == "image_url"


async def test_a_model_without_tools_is_told_of_them_in_words(make_chat: MakeChat, server: ScriptedServer) -> None:
    chat = make_chat(tools=[SHOUT])
    server.replies(Reply("Wait.", tool_calls=(call("a"),)), Reply("Done."))
    await chat.turn(Prompt("Go"))
    chat.toolbox.only = frozenset()
    await chat.turn(Prompt("Thanks"))
    assert [(m["role"], m["content"]) for m in server.chats[-1].messages] == [
        ("user", "Go"),
        ("assistant", 'Wait.\n\n[used shout with {"word": "a"}]'),
        ("user", "[shout gave back]\na!"),
        ("assistant", "Done."),
        ("user", "Thanks"),
    ]


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
