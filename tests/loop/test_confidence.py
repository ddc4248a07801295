"""`--until-confidence`: the model is asked how sure it is, and nobody sees that it was."""

from onbook.events import ConfidenceRead, RunStarted, TextDelta
from onbook.outcome import Outcome
from onbook.transcript.history import load
from tests.loop.conftest import Looped
from tests.scripted import Reply, ScriptedServer, ToolCall

UNSURE = 'Perhaps it holds.\n\n---\n{"confidence": 0.4, "reason": "a guess"}'
SURE = 'It holds.\n\n---\n{"confidence": 0.9, "reason": "I looked"}'


async def test_the_loop_ends_when_the_model_is_sure_enough(looped: Looped, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(UNSURE), Reply(SURE), Reply("too late"))
    assert await looped("5m --until-confidence 90% Does it hold?") is Outcome.PASSED
    assert looped.said == ["Loop finished after 2 iteration(s) — confidence 0.90 reached 0.90"]
    read = looped.typed.seen.of(ConfidenceRead)
    assert [(each.score, each.method, each.threshold) for each in read] == [(0.4, "block", 0.9), (0.9, "block", 0.9)]


async def test_nothing_of_the_asking_is_seen_recorded_or_remembered(
    looped: Looped, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply(UNSURE), Reply(SURE))
    await looped("5m --until-confidence 90% Does it hold?")
    assert "confidence" in scripted_model.chats[0].last
    assert [message["content"] for message in scripted_model.chats[1].messages][:2] == [
        "Does it hold?",
        "Perhaps it holds.",
    ]
    seen, live = looped.typed.seen, looped.typed.live
    assert looped.outputs == ["Perhaps it holds.", "It holds."]
    assert "{" not in "".join(delta.text for delta in seen.of(TextDelta))
    assert [event.input for event in seen.of(RunStarted) if event.kind == "chat"] == ["Does it hold?"] * 2
    assert live.record.path is not None
    assert [turn.reply for turn in load(live.record.path).turns] == ["Perhaps it holds.", "It holds."]
    assert '{"confidence": 0.4' not in live.record.path.read_text()


async def test_a_model_that_does_not_say_is_asked_again(looped: Looped, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("It holds."), Reply("CONFIDENCE: 0.95"))
    assert await looped("5m --count 3 --until-confidence 90% Does it hold?") is Outcome.PASSED
    assert looped.outputs == ["It holds."]
    assert [message["role"] for message in scripted_model.chats[1].messages] == ["user", "assistant", "user"]
    assert [each.method for each in looped.typed.seen.of(ConfidenceRead)] == ["follow-up"]
    assert [message.text for message in looped.typed.live.chat.conversation.history] == ["Does it hold?", "It holds."]


async def test_a_model_that_is_never_sure_is_an_outcome_of_its_own(
    looped: Looped, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply(UNSURE), Reply(UNSURE))
    assert await looped("5m --count 2 --until-confidence 90% Does it hold?") is Outcome.BELOW_THRESHOLD
    assert looped.said == ["Loop finished after 2 iteration(s) — confidence 0.90 never came"]


async def test_tools_are_used_before_the_model_is_sure(looped: Looped, scripted_model: ScriptedServer) -> None:
    looking = Reply('Let me look.\n---\n{"confidence": 0.1}', tool_calls=(ToolCall("c1", "list_files", "{}"),))
    scripted_model.replies(looking, Reply(SURE))
    assert await looped("5m --until-confidence 90% Does it hold?") is Outcome.PASSED
    assert looped.outputs == ["Let me look.\n\nIt holds."]
    assert [each.score for each in looped.typed.seen.of(ConfidenceRead)] == [0.9]
