"""One question to a model, and how sure it is of its answer: asked for, calculated, or found out by asking again."""

import asyncio

import msgspec

from onbook.confidence.instruction import with_instruction
from onbook.confidence.logprobs import read_logprobs
from onbook.confidence.quiet_asking import QuietAsking, uncarried
from onbook.confidence.rating import rated
from onbook.confidence.samples import agreement
from onbook.confidence.voices import Withholding
from onbook.confidence.wording import read_wording
from onbook.config.confidence_settings import Method
from onbook.events import Reading, Sink, Totals
from onbook.models.errors import Rejected
from onbook.models.messages import Request
from onbook.models.resolver import Resolved
from onbook.outcome import UsageError
from onbook.session.reply import Replies, Reply
from onbook.session.telling import Telling
from onbook.session.turn import Chat, NothingSaid


class Answered(msgspec.Struct, frozen=True):
    """An answer, without anything that was said of its confidence."""

    text: str
    reading: Reading | None = None
    """None where nobody wants to know."""
    is_shown: bool = True
    """Whether it is the one that was told; of several samples another one may go on."""


class NoLogprobs(UsageError):
    """The model does not tell how probable it found its words."""

    def __init__(self, model: str) -> None:
        super().__init__(
            f"{model} gives no log-probabilities to read its confidence from; "
            'take --confidence-method ask (in the settings: [confidence] method = "ask")'
        )


def as_sent(request: Request, method: Method | None) -> Request:
    """The request with what the method adds to it: the hidden instruction at the end of the question, or nothing."""
    if method is None or method.kind == "samples":
        return request
    if method.kind == "logprobs":
        return msgspec.structs.replace(request, logprobs=True)
    *before, question = request.messages
    instructed = msgspec.structs.replace(question, text=with_instruction(question.text))
    return msgspec.structs.replace(request, messages=(*before, instructed))


class Asking:
    """One question to one model. What is said of the answer is said by `telling`, a run of its own."""

    def __init__(self, chat: Chat, model: Resolved, method: Method | None, emit: Sink) -> None:
        """Without a method nobody wants to know how sure the model is."""
        self._chat = chat
        self._model = model
        self._method = method
        self._voice = Withholding(emit) if method is not None and method.kind == "ask" else None
        self.telling = self._voice or Telling(emit)
        self._aloud = Replies(chat.choice, chat.ledger, self.telling)
        self._quiet = QuietAsking(chat, self.telling)

    @property
    def totals(self) -> Totals:
        """What everything that was asked has cost, told or not."""
        return self._aloud.totals.plus(self._quiet.totals)

    @property
    def finish_reason(self) -> str:
        return self._aloud.finish_reason

    async def answer(self, sent: Request) -> Answered:
        """Ask, and listen to the end; `sent` is the request as `as_sent` made it."""
        self._chat.ledger.begin_turn(self._model)
        async with self._chat.ledger.clock():
            if self._method is None:
                return Answered((await self._reply(sent)).text)
            if self._voice is not None:
                return await self._asked(sent, self._voice)
            if self._method.kind == "logprobs":
                return await self._calculated(sent)
            return await self._sampled(sent, self._method.samples)

    async def _asked(self, sent: Request, voice: Withholding) -> Answered:
        """By the block in the answer, else by asking for it, else by the wording."""
        reply = await self._reply(sent)
        said = voice.end_reply()
        if not said.text.strip():
            raise NothingSaid(self._model.name, reply.wanted)
        reading = said.reading
        if reading is None:
            self.telling.note("asked again how sure it is", "debug")
            reading = await rated(sent, reply.text, self._model, self._chat.choice, self._quiet.ask)
        return Answered(said.text, reading or read_wording(said.text))

    async def _calculated(self, sent: Request) -> Answered:
        """By how probable the model found its own words."""
        try:
            reply = await self._reply(sent)
        except Rejected as error:
            if "logprob" in error.detail.lower():
                raise NoLogprobs(self._model.name) from None
            raise
        reading = read_logprobs(reply.logprobs)
        if reading is None:
            raise NoLogprobs(self._model.name)
        return Answered(reply.text, reading)

    async def _sampled(self, sent: Request, count: int) -> Answered:
        """By how much several answers agree: the first is told, the one that agrees most goes on."""
        try:
            async with asyncio.TaskGroup() as group:
                asked = [group.create_task(self._first_sample(sent))]
                asked += [group.create_task(self._sample(sent, number)) for number in range(1, count)]
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        replies = [each.result().text for each in asked]
        chosen, reading = agreement(replies)
        return Answered(replies[chosen], reading, is_shown=replies[chosen] == replies[0])

    async def _first_sample(self, sent: Request) -> Reply:
        """The answer that is told; the others may take longer."""
        reply = await self._reply(sent)
        self.telling.note("the other replies are awaited", "debug")
        return reply

    async def _sample(self, sent: Request, number: int) -> Reply:
        """Another answer to the same question; where there is a seed, with its own: else all would be the same."""
        another = sent if sent.seed is None else msgspec.structs.replace(sent, seed=sent.seed + number)
        reply = await self._quiet.ask(self._model, another)
        if not reply.text.strip():
            raise NothingSaid(self._model.name, reply.wanted)
        return reply

    async def _reply(self, sent: Request) -> Reply:
        """The answer that is told."""
        reply = await self._aloud.next(self._model, sent, uncarried)
        self._aloud.check_whole(reply)
        if not reply.text.strip():
            raise NothingSaid(self._model.name, reply.wanted)
        return reply
