"""One answer of a model to a prompt step: streamed, paid for, and told as a run of its own.

A run of its own, because several answers may come at the same time, and nobody could tell their pieces apart.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from onbook.events import RunStarted
from onbook.flow.world import Here
from onbook.models.messages import Message, Request, ToolCall
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError, Outcome
from onbook.session.reply import Replies
from onbook.session.speaker import speaker_of
from onbook.session.telling import Telling
from onbook.session.turn import Chat, NothingSaid


class TookTooLong(OnbookError):
    """The step's time was over before the answer was whole."""

    outcome = Outcome.MODEL_FAILED


class Answer:
    """The answer of one model at one place of a flow. Listen to it once."""

    def __init__(self, chat: Chat, model: Resolved, here: Here) -> None:
        self._chat = chat
        self._model = model
        self._here = here
        self._telling = Telling(here.world.emit)
        self._replies = Replies(chat.choice, chat.ledger, self._telling)

    async def to(self, asked: str, options: Mapping[str, Any], seconds: float | None) -> str:
        """Ask, and listen to the end. What the model says is all there is: a prompt step has no tools."""
        self._begin(asked)
        outcome, error = Outcome.FAILED, None
        try:
            text = await self._in_time(asked, options, seconds)
            outcome = Outcome.PASSED
        except asyncio.CancelledError:
            outcome = Outcome.CANCELLED
            raise
        except OnbookError as problem:
            outcome, error = problem.outcome, problem
            raise
        finally:
            replies = self._replies
            self._telling.finished(outcome, error, replies.finish_reason, replies.totals, self._chat.ledger.running)
            self._here.costs.extend(filter(None, [replies.totals.money]))
        return text

    def _begin(self, asked: str) -> None:
        chat, here = self._chat, self._here
        here.world.emit(
            RunStarted(
                run=self._telling.run,
                time=time.time(),
                kind="prompt",
                input=asked,
                workspace=chat.workspace,
                speaker=speaker_of(self._model, chat.choice, chat.agent),
            )
        )

    async def _in_time(self, asked: str, options: Mapping[str, Any], seconds: float | None) -> str:
        scope = asyncio.timeout(seconds)
        try:
            async with scope:
                return await self._listen(asked, options)
        except TimeoutError:
            if not scope.expired():
                raise
            raise TookTooLong(
                f"{self._model.name}: no whole answer within {seconds:g} s; timeout gives it more"
            ) from None

    async def _listen(self, asked: str, options: Mapping[str, Any]) -> str:
        chat = self._chat
        system = (Message("system", chat.conversation.system),) if chat.conversation.system else ()
        request = Request((*system, Message("user", asked)), **options)
        chat.ledger.begin_turn(self._model)
        async with chat.ledger.clock():
            reply = await self._replies.next(self._model, request, _same)
        if reply.finish_reason == "length":
            chat.ledger.check_cut()
            self._telling.note("the answer was cut off at the model's length limit", "warning")
        if not reply.text.strip():
            raise NothingSaid(self._model.name, reply.wanted)
        return reply.text


def _same(call: ToolCall) -> ToolCall:
    """Nobody carries out what a model calls here."""
    return call
