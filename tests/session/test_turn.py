"""The chat turn: what is emitted, what is remembered, what it cost."""

import asyncio

import pytest

from onbook.config.settings import Route
from onbook.events import Note, ReasoningDelta, RunFinished, RunStarted, TextDelta, ToolCalled
from onbook.models.resolver import Resolved
from onbook.models.routes import backend_of
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.conversation import Conversation
from onbook.session.turn import Chat
from tests.scripted import (
    CleanEndWithoutFinish,
    Cut,
    Fault,
    Garbage,
    Refuse,
    Reply,
    ScriptedServer,
    Stall,
    Status,
    Times,
    ToolCall,
    known_errors,
)
from tests.session.conftest import Events, MakeChat, chosen


async def test_a_turn_is_told_from_beginning_to_end(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply("One two", reasoning="Hm.", usage=(10, 5)))
    ended = await make_chat(window=100).turn(Prompt("Count", attachments=("a.txt (text, 1 bytes)",)))
    assert (ended.outcome, ended.text, ended.error) == (Outcome.PASSED, "One two", None)
    assert [type(event) for event in events.seen] == [RunStarted, ReasoningDelta, TextDelta, TextDelta, RunFinished]
    started, finished = events.one(RunStarted), events.one(RunFinished)
    assert {event.run for event in events.seen} == {started.run}
    assert (started.kind, started.input, started.workspace) == ("chat", "Count", "/w")
    assert started.attachments == ("a.txt (text, 1 bytes)",)
    assert (finished.text, finished.reasoning, finished.finish_reason) == ("One two", "Hm.", "stop")
    assert (finished.totals.prompt_tokens, finished.totals.completion_tokens) == (10, 5)
    assert finished.totals.context_used == pytest.approx(0.15)
    assert not finished.totals.estimated
    assert 0 < (finished.totals.first_token_seconds or 0) <= finished.totals.seconds


async def test_each_turn_is_reminded_of_those_before(make_chat: MakeChat, server: ScriptedServer) -> None:
    chat = make_chat()
    await chat.turn(Prompt("one"))
    await chat.turn(Prompt("two"))
    assert [(m["role"], m["content"]) for m in server.chats[1].messages] == [
        ("user", "one"),
        ("assistant", "You said: one"),
        ("user", "two"),
    ]


FAILURES: dict[str, tuple[Fault | Reply | Times, str]] = {
    "401": (known_errors.openai_unauthorized(), "scripted: refused: Incorrect API key"),
    "404": (known_errors.openai_model_not_found("x"), "scripted: model not found: The model `x` does not exist"),
    "overflow": (known_errors.openai_overflow(), "scripted: context limit exceeded: "),
    "out of memory": (known_errors.ollama_out_of_memory(), "scripted: out of memory: "),
    "rejected": (Status(400, {"error": {"message": "no such parameter"}}), "scripted: request rejected: no such"),
    "cut": (Cut(after_chunks=3), "scripted: malformed stream: "),
    "garbage": (Garbage(after_chunks=3), "scripted: malformed stream: "),
    "no finish": (CleanEndWithoutFinish(), "scripted: malformed stream: the stream ended without"),
    "nothing said": (Reply(""), "scripted: the model returned nothing"),
    "only a tool": (
        Reply("", tool_calls=(ToolCall("1", "look"),)),
        "scripted: the model asked for look instead of answering; no tool was offered",
    ),
    "only thoughts": (Reply("", reasoning="Hm."), "scripted: the model returned nothing"),
}


@pytest.mark.parametrize("failure", FAILURES)
async def test_a_turn_that_fails_leaves_the_history_as_it_was(
    make_chat: MakeChat, server: ScriptedServer, events: Events, failure: str
) -> None:
    fault, sentence = FAILURES[failure]
    chat = make_chat()
    await chat.turn(Prompt("one"))
    before = chat.conversation.history
    server.replies(fault)
    ended = await chat.turn(Prompt("two"))
    assert chat.conversation.history == before
    finished = events.of(RunFinished)[-1]
    assert finished.error.startswith(sentence)
    assert finished.exit_code == ended.outcome.exit_code == (2 if failure == "404" else 5)
    await chat.turn(Prompt("three"))
    assert [m["content"] for m in server.chats[-1].messages] == ["one", "You said: one", "three"]


async def test_a_server_that_is_unplugged_between_turns_can_come_back(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    chat = make_chat()
    await chat.turn(Prompt("one"))
    await asyncio.to_thread(server.stop)
    gone = await chat.turn(Prompt("two"))
    assert gone.outcome is Outcome.MODEL_FAILED
    assert str(gone.error).startswith(f"scripted: unreachable: cannot reach {server.openai_url}")
    server.start()
    assert (await chat.turn(Prompt("three"))).text == "You said: three"


async def test_a_failure_that_passes_is_noted_and_tried_again(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Refuse(), Reply("Here I am."))
    assert (await make_chat().turn(Prompt("one"))).text == "Here I am."
    note = events.one(Note)
    assert note.level == "warning"
    assert "; trying again in 0." in note.text


async def test_cancelling_leaves_the_history_as_it_was(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    chat = make_chat()
    await chat.turn(Prompt("one"))
    before = chat.conversation.history
    server.replies(Stall(after_chunks=2))
    turn = asyncio.create_task(chat.turn(Prompt("two")))
    while "".join(event.text for event in events.of(TextDelta)) != "You said: oneThe quick":
        await asyncio.sleep(0.01)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert chat.conversation.history == before
    finished = events.of(RunFinished)[-1]
    assert (finished.outcome, finished.exit_code, finished.text) == ("cancelled", 130, "The quick")
    assert await asyncio.to_thread(server.wait_for_disconnect)


async def test_an_answer_at_the_length_limit_is_a_warning(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply("And then", finish_reason="length"))
    assert (await make_chat().turn(Prompt("Go on"))).outcome is Outcome.PASSED
    assert events.one(Note).text == "the answer was cut off at the model's length limit"


async def test_a_tool_call_is_told(make_chat: MakeChat, server: ScriptedServer, events: Events) -> None:
    server.replies(Reply("Let me look.", tool_calls=(ToolCall("c1", "look", '{"at": "sky"}'),)))
    await make_chat().turn(Prompt("Weather?"))
    called = events.one(ToolCalled)
    assert (called.call, called.name, called.arguments) == ("c1", "look", '{"at": "sky"}')


@pytest.mark.parametrize(
    ("used", "warning"),
    [
        ((70, 9), None),
        ((70, 10), "context 80% full of 100 tokens; the conversation will not fit much longer"),
        ((90, 9), "context 99% full of 100 tokens; the conversation will not fit much longer"),
        ((90, 10), "context 100% of 100 tokens: full; the model has lost part of this conversation"),
        ((200, 10), "context 210% of 100 tokens: full; the model has lost part of this conversation"),
    ],
)
async def test_a_context_that_fills_up_is_a_warning(
    make_chat: MakeChat, server: ScriptedServer, events: Events, used: tuple[int, int], warning: str | None
) -> None:
    server.replies(Reply("ok", usage=used))
    await make_chat(window=100).turn(Prompt("hi"))
    assert [note.text for note in events.of(Note)] == ([warning] if warning else [])


async def test_tokens_are_estimated_where_nobody_counts(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.replies(Reply("12345678", usage=None))
    await make_chat().turn(Prompt("1234"))
    totals = events.one(RunFinished).totals
    assert (totals.prompt_tokens, totals.completion_tokens, totals.estimated) == (5, 2, True)
    assert totals.context_used is None


async def test_the_backends_own_tokenizer_is_no_estimate(events: Events) -> None:
    with ScriptedServer(speaks=("llama.cpp",), context={"llama3:latest": 64}) as server:
        server.replies(Reply("12345678", usage=None))
        backend = backend_of(Route("llama", f"llamacpp://127.0.0.1:{server.port}"), {})
        chat = Chat(
            Conversation(),
            chosen(Resolved(backend, "llama3:latest", "llama", "a test")),
            events,
            "Harvey",
            "/w",
        )
        await chat.turn(Prompt("1234"))
        await backend.aclose()
    totals = events.one(RunFinished).totals
    assert (totals.prompt_tokens, totals.completion_tokens, totals.estimated) == (1, 2, False)
    assert totals.context_used == pytest.approx(3 / 64)


async def test_ollama_tells_its_window(make_chat: MakeChat, server: ScriptedServer, events: Events) -> None:
    server.replies(Reply("ok", usage=(4000, 96)))
    await make_chat(server.ollama_url).turn(Prompt("hi"))
    assert events.one(RunFinished).totals.context_used == 1.0


async def test_a_listing_that_breaks_costs_nothing_but_the_window(
    make_chat: MakeChat, server: ScriptedServer, events: Events
) -> None:
    server.rule(lambda _: True, Status(200, ["nonsense"]), path="/v1/models")
    assert (await make_chat().turn(Prompt("hi"))).text == "You said: hi"
    assert events.one(RunFinished).totals.context_used is None


async def test_an_answer_is_held_to_its_schema(make_chat: MakeChat, server: ScriptedServer) -> None:
    server.replies(Reply('{"n": 1}'), Reply("[1]"))
    chat = make_chat(schema={"type": "object"})
    assert (await chat.turn(Prompt("one"))).outcome is Outcome.PASSED
    ended = await chat.turn(Prompt("two"))
    assert (ended.outcome, str(ended.error)) == (
        Outcome.FAILED,
        "the answer does not fit the schema: data must be object",
    )
    assert len(chat.conversation.history) == 2


async def test_a_model_elsewhere_speaks_under_its_own_name(events: Events) -> None:
    backend = backend_of(Route("cloud", "http://192.0.2.1:9/v1"), {})
    chat = Chat(Conversation(), chosen(Resolved(backend, "m", "cloud", "a test")), events, "Harvey", "/w")
    turn = asyncio.create_task(chat.turn(Prompt("hi")))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    await backend.aclose()
    speaker = events.one(RunStarted).speaker
    assert speaker is not None
    assert (speaker.name, speaker.model, speaker.remote) == ("cloud", "m", True)


async def test_a_mistake_of_our_own_still_ends_the_run(make_chat: MakeChat, events: Events) -> None:
    with pytest.raises(TypeError):
        await make_chat(no_such_option=1).turn(Prompt("hello"))
    finished = events.one(RunFinished)
    assert (finished.run, finished.outcome, finished.exit_code) == (events.one(RunStarted).run, "failed", 1)
    assert finished.error.startswith("internal error: TypeError: ")
