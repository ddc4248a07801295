"""A turn that ends early says why, and keeps what was done: cancelled, a spent budget, no model, no room."""

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from onbook.config.budget_settings import BudgetSettings
from onbook.config.settings import Settings
from onbook.events import Note, RunFinished, RunStarted
from onbook.models.resolver import NoModel, Resolved, Resolver
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.tools.builtin import builtin_tools
from tests.scripted import Reply, ScriptedServer, Stall, ToolCall
from tests.session.conftest import Events, MakeChat, MakeDoor
from tests.session.shouting import SHOUT, call, tool


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
