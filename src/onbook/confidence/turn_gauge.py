"""How sure the model is of the answer of a chat turn: asked for with the question, else afterwards, else by wording."""

import msgspec

from onbook.confidence.blocks import read_blocks
from onbook.confidence.holding import Holder
from onbook.confidence.instruction import with_instruction
from onbook.confidence.rating import rated
from onbook.confidence.voices import Quiet, Withholding
from onbook.confidence.wording import read_wording
from onbook.events import Reading, Totals
from onbook.models.messages import Request, ToolCall
from onbook.models.resolver import Resolved
from onbook.session.attachments import Prompt
from onbook.session.reply import Replies, Reply
from onbook.session.turn import Chat
from onbook.words import compared


class TurnGauge:
    """The `Gauge` of one turn. `threshold` is what the answer is measured by."""

    def __init__(self, chat: Chat, threshold: float) -> None:
        self._chat = chat
        self._threshold = threshold
        self.telling = _Withholding(chat.emit)
        self._quiet: list[Replies] = []
        self._raw = self._said = ""
        self._reading: Reading | None = None

    @property
    def totals(self) -> Totals:
        totals = Totals()
        for each in self._quiet:
            totals = totals.plus(each.totals)
        return totals

    def asked(self, prompt: Prompt) -> Prompt:
        return msgspec.structs.replace(prompt, text=with_instruction(prompt.text))

    def heard(self, reply: Reply) -> Reply:
        self.telling.end_reply()
        said = read_blocks(reply.text)
        self._raw, self._said, self._reading = reply.text, said.text, said.reading
        return msgspec.structs.replace(reply, text=said.text)

    async def read(self, model: Resolved, sent: Request) -> None:
        reading = self._reading or await self._rated(model, sent) or read_wording(self._said)
        self.telling.confidence(reading, self._threshold)
        self.telling.note(_words(reading, self._threshold))

    async def _rated(self, model: Resolved, sent: Request) -> Reading | None:
        async def quietly(request: Request) -> Reply:
            self._chat.ledger.begin_call(model)
            replies = Replies(self._chat.choice, self._chat.ledger, Quiet(self.telling))
            self._quiet.append(replies)
            return await replies.next(model, request, _same)

        without_tools = msgspec.structs.replace(sent, tools=())
        return await rated(without_tools, self._raw, model, self._chat.choice, quietly)


def _words(reading: Reading, threshold: float) -> str:
    """As the scenes of a pipeline have it."""
    score, needed = compared(reading.score, threshold)
    met = "threshold met" if reading.score >= threshold else f"below threshold {needed}"
    return f"confidence: {score} — {met}{' · guessed from wording' if reading.method == 'wording' else ''}"


class _Withholding(Withholding):
    """A turn may have several replies, each with a block of its own."""

    def next_reply(self) -> None:
        super().next_reply()
        self._holder = Holder()


def _same(call: ToolCall) -> ToolCall:
    """Nobody carries out what a model calls here."""
    return call
