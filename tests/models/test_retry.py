"""Trying again: what may pass by itself, announced, and never once something was said."""

import asyncio
import time
from collections.abc import AsyncGenerator

import pytest

from onbook.models.errors import MalformedStream, Overloaded, RateLimited, Refused, Unreachable
from onbook.models.http import Wire
from onbook.models.messages import Delta, Retrying, Text
from onbook.models.openai_chat import OpenAIChat
from onbook.models.retry import ATTEMPTS, FIRST_PAUSE, with_retries
from tests.models.asking import heard, heard_until_it_failed, text_of
from tests.scripted import Cut, ErrorInStream, Refuse, Reply, ScriptedServer, Status, Times, known_errors


def pauses(deltas: list[Delta]) -> list[Retrying]:
    return [delta for delta in deltas if isinstance(delta, Retrying)]


async def test_two_errors_of_the_server_are_passed_over_and_announced(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Times(2, Status(500, headers={"Retry-After": "0"})), Reply("Hello"))
    answer = await heard(chat)
    assert ([(pause.problem, pause.attempt) for pause in pauses(answer)], text_of(answer)) == (
        [("overloaded", 1), ("overloaded", 2)],
        "Hello",
    )


async def test_the_pauses_grow_and_are_jittered(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Times(2, Status(500)), Reply("Hello"))
    first, second = [pause.seconds for pause in pauses(await heard(chat))]
    assert FIRST_PAUSE / 2 <= first <= FIRST_PAUSE <= second <= 2 * FIRST_PAUSE


async def test_retry_after_is_honoured(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(known_errors.openai_rate_limited("0.4"), Reply("Hello"))
    began = time.monotonic()
    answer = await heard(chat)
    assert (pauses(answer)[0].seconds, time.monotonic() - began >= 0.4) == (0.4, True)


async def test_the_last_try_raises_its_typed_error(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Times(ATTEMPTS, known_errors.openai_rate_limited("0")))
    _, error = await heard_until_it_failed(chat)
    assert (type(error), len(server.chats)) == (RateLimited, ATTEMPTS)


async def test_a_server_that_wants_too_long_a_pause_is_not_waited_for(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(known_errors.openai_rate_limited("3600"))
    _, error = await heard_until_it_failed(chat)
    assert (type(error), len(server.chats)) == (RateLimited, 1)


async def test_a_connection_closed_without_a_word_is_tried_again(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(Refuse(), Reply("Hello"))
    assert text_of(await heard(chat)) == "Hello"


async def test_a_refused_connection_is_tried_again_until_the_end(dead_port: int) -> None:
    wire = Wire("gone", f"http://127.0.0.1:{dead_port}/v1", remote=False)
    answer, error = await heard_until_it_failed(OpenAIChat(wire, "m"))
    await wire.aclose()
    assert (len(pauses(answer)), type(error)) == (ATTEMPTS - 1, Unreachable)


async def test_a_server_that_comes_up_in_between_answers() -> None:
    with ScriptedServer(default=Reply("Hello")) as server:
        pass
    wire = Wire("late", server.openai_url, remote=False)
    asking = asyncio.create_task(heard(OpenAIChat(wire, "m")))
    await asyncio.sleep(0.05)
    with server:
        answer = await asking
        await wire.aclose()
    assert text_of(answer) == "Hello"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(ErrorInStream({"code": 500, "message": "x"}), Overloaded), (Cut(reset=True), Unreachable)],
    ids=["error", "reset"],
)
async def test_nothing_is_tried_again_once_something_was_said(
    server: ScriptedServer, chat: OpenAIChat, answer: ErrorInStream | Cut, kind: type[Exception]
) -> None:
    server.replies(answer)
    _, error = await heard_until_it_failed(chat)
    assert (type(error), len(server.chats)) == (kind, 1)


async def test_reasoning_counts_as_something_said(server: ScriptedServer, chat: OpenAIChat) -> None:
    server.replies(ErrorInStream({"code": 500, "message": "x"}, 1, Reply("Hello", reasoning="hm")))
    await heard_until_it_failed(chat)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [(known_errors.openai_unauthorized(), Refused), (Cut(after_chunks=0), MalformedStream)],
    ids=["refused", "malformed"],
)
async def test_what_does_not_pass_by_itself_is_raised_at_once(
    server: ScriptedServer, chat: OpenAIChat, answer: Status | Cut, kind: type[Exception]
) -> None:
    server.replies(answer)
    _, error = await heard_until_it_failed(chat)
    assert (type(error), len(server.chats)) == (kind, 1)


async def test_an_abandoned_answer_closes_its_attempt() -> None:
    closed = []

    async def attempt() -> AsyncGenerator[Delta, None]:
        try:
            yield Text("one")
            yield Text("two")
        finally:
            closed.append(True)

    deltas = with_retries(attempt)
    await anext(deltas)
    await deltas.aclose()
    assert closed
