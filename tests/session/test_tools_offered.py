"""Which models are offered tools, and what the others are told of them."""

import pytest

from onbook.config.settings import Route
from onbook.events import Note, RunStarted
from onbook.models.messages import Image
from onbook.models.resolver import Resolved
from onbook.models.routes import backend_of
from onbook.session.attachments import Prompt
from tests.scripted import Reply, ScriptedServer, known_errors
from tests.session.conftest import Events, MakeChat
from tests.session.shouting import SHOUT, call


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
