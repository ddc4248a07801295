"""Cancelling an answer: at once, wherever it stands, with nothing left behind on either side."""

import asyncio

import pytest

from onbook.models.anthropic_messages import AnthropicMessages
from onbook.models.messages import ChatModel, Delta, Retrying, Text
from onbook.models.openai_chat import OpenAIChat
from tests.models.asking import HELLO, heard
from tests.scripted import ScriptedServer, SlowFirstByte, Stall, Status, known_errors


async def cancel_after(server: ScriptedServer, model: ChatModel, count: int) -> list[Delta]:
    """Asks in a task of its own and cancels it when the server has the question and so many deltas are here."""
    found: list[Delta] = []

    async def ask() -> None:
        async for delta in model.stream(HELLO):
            found.append(delta)

    task = asyncio.create_task(ask())
    async with asyncio.timeout(10):
        assert await asyncio.to_thread(server.wait_for_requests)
        while len(found) < count:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)  # it is now inside the next await
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    return found


@pytest.fixture(params=["openai", "anthropic"])
def model(request: pytest.FixtureRequest, chat: OpenAIChat, claude: AnthropicMessages) -> ChatModel:
    return chat if request.param == "openai" else claude


async def test_before_the_first_byte_the_server_sees_us_leave(server: ScriptedServer, model: ChatModel) -> None:
    server.replies(SlowFirstByte(30))
    await cancel_after(server, model, 0)
    assert await asyncio.to_thread(server.wait_for_disconnect)


async def test_between_head_and_first_byte_the_server_sees_us_leave(server: ScriptedServer, model: ChatModel) -> None:
    server.replies(SlowFirstByte(30, headers_first=True))
    await cancel_after(server, model, 0)
    assert await asyncio.to_thread(server.wait_for_disconnect)


async def test_in_the_middle_of_an_answer_the_server_sees_us_leave(server: ScriptedServer, model: ChatModel) -> None:
    server.replies(Stall(after_chunks=2))
    await cancel_after(server, model, 2)
    assert await asyncio.to_thread(server.wait_for_disconnect)


async def test_in_the_middle_of_an_error_body_we_leave_at_once(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Status(500, b"half", {"Content-Length": "999"}))
    await cancel_after(server, chat, 0)


async def test_during_a_pause_nothing_more_is_asked(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(known_errors.openai_rate_limited("30"))
    found = await cancel_after(server, chat, 1)
    assert (type(found[0]), len(server.chats)) == (Retrying, 1)


async def test_no_task_outlives_the_cancelled_one(server: ScriptedServer, model: ChatModel) -> None:
    server.replies(Stall(after_chunks=1))
    await cancel_after(server, model, 1)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_the_model_answers_again_after_a_cancelled_question(server: ScriptedServer, model: ChatModel) -> None:
    server.replies(Stall(after_chunks=1))
    await cancel_after(server, model, 1)
    assert any(isinstance(delta, Text) for delta in await heard(model))


async def test_closing_the_answer_early_hangs_up(server: ScriptedServer, model: ChatModel) -> None:
    server.replies(Stall(after_chunks=2))
    deltas = model.stream(HELLO)
    await anext(deltas)
    await deltas.aclose()
    assert await asyncio.to_thread(server.wait_for_disconnect)


async def test_an_answer_nobody_began_to_read_asks_nothing(server: ScriptedServer, model: ChatModel) -> None:
    await model.stream(HELLO).aclose()
    assert server.requests == []
