"""The chat turn: one question, as many rounds of tools as it takes, one answer; all of it emitted as events."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from onbook.events import PromptStep, Sink
from onbook.excerpt import cut_middle
from onbook.models.errors import ContextOverflow, OutOfMemory, ToolsUnsupported
from onbook.models.messages import Message, Request, ToolSpec
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError, Outcome
from onbook.session.attachments import Prompt
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice, key_of
from onbook.session.conversation import Conversation, stopped
from onbook.session.gauge import Gauge
from onbook.session.reply import Replies, Reply
from onbook.session.retelling import without_tools
from onbook.session.schema import misfit
from onbook.session.speaker import speaker_of
from onbook.session.telling import Telling
from onbook.session.tool_loop import ToolLoop
from onbook.session.tools.spoken_calls import spoken_calls
from onbook.session.tools.toolbox import Toolbox

ROUNDS = 25
_SHORT = 500
"""So many characters are remembered of each result that together were too many for the model."""
_ENOUGH = "That was the last round of tools. Answer now with what you have, and say what is missing."


class Ended(msgspec.Struct, frozen=True):
    """How a turn ended: the answer, or the error that stood in its way."""

    outcome: Outcome
    text: str = ""
    """The last reply, without what was said before its tools were called."""
    error: OnbookError | None = None


class NothingSaid(OnbookError):
    """An answer without a word: no use to anybody, and some servers refuse it in a history."""

    outcome = Outcome.MODEL_FAILED

    def __init__(self, model: str, tools: Sequence[str], *, rounds: int = 0) -> None:
        wanted = ""
        if tools:
            why = f"{rounds} rounds of tools are the most (tools.rounds)" if rounds else "no tool was offered"
            wanted = f"asked for {', '.join(tools)} instead of answering; {why}"
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
    toolbox: Toolbox = field(default_factory=Toolbox)
    ledger: Ledger = field(default_factory=Ledger)
    rounds: int = ROUNDS
    """How often in one turn the model may ask for tools."""
    kind: str = "chat"
    """What its turns are called as runs; `agent` for somebody who works for a workflow."""
    step: PromptStep | None = None
    """Which step of a workflow they are for."""

    def offered(self, model: Resolved | None) -> tuple[ToolSpec, ...]:
        """The tools that a model is offered; none beside a schema, which several servers do not take together."""
        if self.options.get("schema") is not None or (model is not None and not self.choice.calls_tools(model)):
            return ()
        return tuple(tool.spec for tool in self.toolbox.offered)

    async def turn(self, prompt: Prompt, model: Resolved | None = None, gauge: Gauge | None = None) -> Ended:
        """Ask the active model, or the one given for this turn; stream, use tools, remember. With a gauge, find out how
        sure the model is of its answer.

        A turn that ends badly leaves the history as it was, unless its tools had done something by then, or what was
        said has been paid for with the last of a budget: whoever goes on must know of that.
        """
        run = _Run(self, prompt, gauge)
        try:
            await run.begin(model)
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
        run.finish(ended)
        return ended


class _Run:
    """The state of one turn while it lasts."""

    def __init__(self, chat: Chat, prompt: Prompt, gauge: Gauge | None) -> None:
        self.chat = chat
        self.prompt = prompt
        self.gauge = gauge
        self.telling = gauge.telling if gauge else Telling(chat.emit)
        self.loop = ToolLoop(chat.toolbox, self.telling)
        self.replies = Replies(chat.choice, chat.ledger, self.telling)
        self.model: Resolved
        self.sent: Request

    async def begin(self, model: Resolved | None) -> None:
        """Find the model and say who will answer; nobody, where there is none."""
        speaker = None
        try:
            self.model = model or await self.chat.choice.current()
            speaker = speaker_of(self.model, self.chat.choice, self.chat.agent)
        finally:
            chat = self.chat
            self.telling.started(self.prompt, speaker, chat.workspace, chat.kind, chat.step)

    async def perform(self) -> Ended:
        ledger = self.chat.ledger
        ledger.begin_turn(self.model)
        async with ledger.clock():
            for _ in range(self.chat.rounds):
                reply = await self._ask()
                if not reply.calls:
                    return await self._measured(self._answer(reply))
                self.replies.settle()
                await self.loop.carry_out(reply.text, reply.calls)
                ledger.check()
            self.telling.note(
                f"{self.chat.rounds} rounds of tools are the most in one turn (tools.rounds); "
                "the model is asked to answer with what it has",
                "warning",
            )
            reply = await self._reply((), Message("user", _ENOUGH))
            return await self._measured(self._answer(reply, rounds=self.chat.rounds))

    async def _ask(self) -> Reply:
        """The next reply; a model that turns tools down is asked again without."""
        tools = self.chat.offered(self.model)
        try:
            reply = await self._reply(tools)
        except ToolsUnsupported as error:
            if not tools:
                raise
            self.chat.choice.offer_no_tools(self.model)
            self.telling.note(f"{self.model.model} works without tools from here on ({error.detail})", "warning")
            tools, reply = (), await self._reply(())
        return self._with_its_calls(reply, frozenset(tool.name for tool in tools))

    def _with_its_calls(self, reply: Reply, known: frozenset[str]) -> Reply:
        """The reply with the calls that are to be carried out: none where no tools were offered."""
        if not known or reply.calls:
            return reply if known else reply.without_calls()
        spoken = tuple(self.loop.unique(call) for call in spoken_calls(reply.text, known))
        for call in spoken:
            self.telling.called(call)
        return msgspec.structs.replace(reply, text="", calls=spoken) if spoken else reply

    async def _reply(self, tools: tuple[ToolSpec, ...], *more: Message) -> Reply:
        chat = self.chat
        prompt = self.gauge.asked(self.prompt) if self.gauge else self.prompt
        messages = (*chat.conversation.messages_for(prompt, self._reader), *self.loop.exchange, *more)
        self.sent = Request(messages if tools else without_tools(messages), tools=tools, **chat.options)
        reply = await self.replies.next(self.model, self.sent, self.loop.unique)
        return self.gauge.heard(reply) if self.gauge else reply

    async def _measured(self, ended: Ended) -> Ended:
        if self.gauge is not None and ended.outcome is Outcome.PASSED:
            await self.gauge.read(self.model, self.sent)
        return ended

    def _answer(self, reply: Reply, *, rounds: int = 0) -> Ended:
        self.replies.check_whole(reply)
        if not reply.text.strip():
            error = NothingSaid(self.model.name, reply.wanted, rounds=rounds)
            return Ended(Outcome.MODEL_FAILED, reply.text, error)
        schema = self.chat.options.get("schema")
        if schema is not None and (wrong := misfit(reply.text, schema)):
            return Ended(Outcome.FAILED, reply.text, OnbookError(wrong))
        return Ended(Outcome.PASSED, reply.text)

    def finish(self, ended: Ended) -> None:
        self._remember(ended)
        totals = self.replies.totals.plus(self.gauge.totals) if self.gauge else self.replies.totals
        running = self.chat.ledger.running
        self.telling.finished(ended.outcome, ended.error, self.replies.finish_reason, totals, running)

    def _remember(self, ended: Ended) -> None:
        last, exchange = ended.text, self.loop.exchange
        if ended.outcome is not Outcome.PASSED:
            paid_for = ended.outcome is Outcome.BUDGET_SPENT and self.replies.last
            if not exchange and not paid_for:
                return
            last = "\n\n".join(filter(None, (self.replies.last, stopped(ended.outcome.value))))
        if isinstance(ended.error, ContextOverflow | OutOfMemory):  # what was too much once would be so again
            exchange = [msgspec.structs.replace(each, text=cut_middle(each.text, _SHORT)) for each in exchange]
        asked = Message("user", self.prompt.text, self.prompt.images)
        self.chat.conversation.add_exchange((asked, *exchange, Message("assistant", last)), self._reader)

    @property
    def _reader(self) -> str:
        return "/".join(key_of(self.model))
