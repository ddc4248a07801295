"""`/compact`: a summary in the place of older turns, or the conversation as it was."""

import asyncio
from contextlib import suppress

from onbook.events import RunFinished, TextDelta
from onbook.outcome import Outcome
from onbook.session.compaction import summarise
from tests.commands.conftest import Typed
from tests.scripted import Cut, Reply, ScriptedServer, Stall, Status

LONG = "a long story " * 100


async def _talked(typed: Typed, server: ScriptedServer, turns: int = 4) -> None:
    server.replies(*(Reply(f"{LONG}{n}") for n in range(turns)))
    for n in range(turns):
        await typed(f"question {n}")


async def test_compact_puts_a_summary_in_the_place_of_the_older_turns(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    scripted_model.replies(Reply("They told stories."))
    assert await typed("/compact") is Outcome.PASSED
    assert typed.text == "They told stories."
    asked = scripted_model.chats[-1].messages[-1]["content"]
    assert "question 0" in asked
    assert "question 3" not in asked
    history = typed.live.chat.conversation.history
    assert [message.role for message in history] == ["user", "assistant"] * 3
    assert "They told stories." in history[0].text
    assert [message.text for message in history[2::2]] == ["question 2", "question 3"]
    assert len(typed.live.chat.conversation.turns) == 3
    assert typed.notes[-1].startswith("2 turns summarised: ~")


async def test_a_failed_compact_leaves_the_conversation_as_it_was(typed: Typed, scripted_model: ScriptedServer) -> None:
    await _talked(typed, scripted_model)
    before = typed.live.chat.conversation.history
    for reply in (
        Status(400),
        Reply(LONG * 20),
        Reply("", finish_reason="stop"),
        Reply("They", finish_reason="length"),
    ):
        scripted_model.replies(reply)
        assert await typed("/compact") is Outcome.MODEL_FAILED
        assert typed.error
        assert typed.live.chat.conversation.history == before


async def test_a_cancelled_compact_leaves_the_conversation_as_it_was(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    before = typed.live.chat.conversation.history
    scripted_model.replies(Stall(2, Reply("They told stories.")))
    running = asyncio.create_task(typed("/compact"))
    while not any(event.text.startswith("They") for event in typed.seen.of(TextDelta)):
        await asyncio.sleep(0.01)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert typed.events.one(RunFinished).outcome == "cancelled"
    assert typed.live.chat.conversation.history == before


async def test_a_compact_that_was_broken_off_has_cost_what_was_said(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    before = typed.live.ledger.running.completion_tokens or 0
    scripted_model.replies(Cut(2, Reply("They told stories.")))
    assert await typed("/compact") is Outcome.MODEL_FAILED
    assert (typed.live.ledger.running.completion_tokens or 0) > before


async def test_compact_says_when_there_is_nothing_to_do(typed: Typed) -> None:
    await typed("one")
    assert await typed("/compact") is Outcome.USAGE
    assert typed.error == "nothing to compact: 1 turn so far, and the last 2 are kept (--keep N)"


async def test_compact_reads_a_conversation_larger_than_the_window_part_by_part(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    chat = typed.live.chat
    model = await chat.choice.current()
    summary = await summarise(chat.conversation.turns, model, 2_000, typed.live.ledger, lambda _: None)
    parts = [chat.messages[-1]["content"] for chat in scripted_model.chats[4:]]
    assert len(parts) > 1
    assert all(f"question {n}" in "".join(parts) for n in range(4))
    assert "what came before, summarised" in parts[1]
    assert summary.startswith("You said:")
