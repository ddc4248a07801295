"""The chat turn: one question, one streamed answer, everything that happened emitted as events."""

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import msgspec

from onbook.events import (
    Note,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    Sink,
    Speaker,
    TextDelta,
    ToolCalled,
    Totals,
)
from onbook.models.messages import Delta, Finish, Reasoning, Request, Retrying, Text, ToolCall, Usage
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError, Outcome
from onbook.session.attachments import Prompt
from onbook.session.choice import ModelChoice
from onbook.session.context import context_warning, used_tokens
from onbook.session.conversation import Conversation
from onbook.session.schema import misfit


class Ended(msgspec.Struct, frozen=True):
    """How a turn ended: the answer, or the error that stood in its way."""

    outcome: Outcome
    text: str = ""
    error: OnbookError | None = None


class NothingSaid(OnbookError):
    """An answer without a word: no use to anybody, and some servers refuse it in a history."""

    outcome = Outcome.MODEL_FAILED

    def __init__(self, model: str, tools: list[str]) -> None:
        wanted = f"asked for {', '.join(tools)} instead of answering; no tool was offered" if tools else ""
        super().__init__(f"{model}: the model {wanted or 'returned nothing'}")


@dataclass
class Chat:
    """One conversation with one model: turn after turn, each a run of its own."""

    conversation: Conversation
    choice: ModelChoice
    emit: Sink
    agent: str
    workspace: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of every `Request`: temperature, seed, schema, …"""

    async def turn(self, prompt: Prompt, model: Resolved | None = None) -> Ended:
        """Ask the active model, or the one given for this turn; stream, remember. Cancelled, it leaves the history
        as it was."""
        run = _Run(self, prompt, model or await self.choice.current())
        try:
            run.start()
            ended = await run.perform()
        except asyncio.CancelledError:
            run.finish(Ended(Outcome.CANCELLED))
            raise
        except OnbookError as error:
            ended = Ended(error.outcome, error=error)
        except Exception as error:
            # A mistake of ours: whoever reads the events or the record must still see the run end.
            run.finish(Ended(Outcome.FAILED, error=OnbookError(f"internal error: {type(error).__name__}: {error}")))
            raise
        if ended.outcome is Outcome.PASSED:
            self.conversation.add(prompt, ended.text)
        run.finish(ended)
        return ended


class _Run:
    """The state of one turn while it lasts."""

    def __init__(self, chat: Chat, prompt: Prompt, model: Resolved) -> None:
        self.chat = chat
        self.model = model
        self.prompt = prompt
        self.id = os.urandom(4).hex()
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.tools: list[str] = []
        self.usage: Usage | None = None
        self.finish_reason = ""
        self.totals = Totals()
        self._began = time.monotonic()
        self._first: float | None = None

    def start(self) -> None:
        chat = self.chat
        speaker = Speaker(chat.agent, self.model.model, remote=False)
        if self.model.backend.remote:
            speaker = Speaker(self.model.name, self.model.model, remote=True)
        chat.emit(
            RunStarted(
                run=self.id,
                time=time.time(),
                kind="chat",
                input=self.prompt.text,
                speaker=speaker,
                workspace=chat.workspace,
                attachments=self.prompt.attachments,
            )
        )

    async def perform(self) -> Ended:
        chat = self.chat
        request = Request(chat.conversation.messages_for(self.prompt), **chat.options)
        model = await self.model.backend.open(self.model.model)
        # Beside the answer, so that it costs no time; afterwards, where only the answer loads the model.
        looking = None
        if not self.model.backend.loads_on_demand:
            looking = asyncio.create_task(chat.choice.window(self.model))
        try:
            async with aclosing(model.stream(request)) as deltas:
                async for delta in deltas:
                    self._take(delta)
            window = await (looking or chat.choice.window(self.model))
        finally:
            if looking is not None:
                looking.cancel()
        text = "".join(self.text)
        await self._measure(request, text, window)
        if self.finish_reason == "length":
            self._note("the answer was cut off at the model's length limit", "warning")
        if not text.strip():
            return Ended(Outcome.MODEL_FAILED, text, NothingSaid(self.model.name, self.tools))
        if request.schema is not None and (wrong := misfit(text, request.schema)):
            return Ended(Outcome.FAILED, text, OnbookError(wrong))
        return Ended(Outcome.PASSED, text)

    def finish(self, ended: Ended) -> None:
        totals = msgspec.structs.replace(
            self.totals, seconds=time.monotonic() - self._began, first_token_seconds=self._first
        )
        self.chat.emit(
            RunFinished(
                run=self.id,
                time=time.time(),
                outcome=ended.outcome.value,
                exit_code=ended.outcome.exit_code,
                text="".join(self.text),
                reasoning="".join(self.reasoning),
                error=str(ended.error or ""),
                finish_reason=self.finish_reason,
                totals=totals,
            )
        )

    def _take(self, delta: Delta) -> None:
        if isinstance(delta, Text):
            self._mark_first()
            self.text.append(delta.text)
            self.chat.emit(TextDelta(run=self.id, time=time.time(), text=delta.text))
        elif isinstance(delta, Reasoning):
            self._mark_first()
            self.reasoning.append(delta.text)
            self.chat.emit(ReasoningDelta(run=self.id, time=time.time(), text=delta.text))
        elif isinstance(delta, ToolCall):
            self.tools.append(delta.name)
            self.chat.emit(
                ToolCalled(run=self.id, time=time.time(), call=delta.id, name=delta.name, arguments=delta.arguments)
            )
        elif isinstance(delta, Usage):
            self.usage = delta
        elif isinstance(delta, Finish):
            self.finish_reason = delta.reason
        elif isinstance(delta, Retrying):
            self._note(delta.sentence, "warning")

    async def _measure(self, request: Request, text: str, window: int | None) -> None:
        used = await used_tokens(self.usage, request.messages, text, self.model.backend)
        share = (used.prompt + used.completion) / window if window else None
        self.totals = Totals(used.prompt, used.completion, used.estimated, context_used=share)
        if warning := context_warning(share, window):
            self._note(warning, "warning")

    def _note(self, text: str, level: str) -> None:
        self.chat.emit(Note(run=self.id, time=time.time(), text=text, level=level))

    def _mark_first(self) -> None:
        if self._first is None:
            self._first = time.monotonic() - self._began
