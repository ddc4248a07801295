"""How sure the model is of the answer of a chat turn: asked for with the question, else afterwards, else by wording."""

import msgspec

from onbook.confidence.blocks import read_blocks
from onbook.confidence.holding import Holder
from onbook.confidence.instruction import with_instruction
from onbook.confidence.quiet_asking import QuietAsking
from onbook.confidence.rating import rated
from onbook.confidence.voices import Withholding
from onbook.confidence.wording import read_wording
from onbook.events import Reading, Totals
from onbook.models.messages import Request
from onbook.models.resolver import Resolved
from onbook.session.attachments import Prompt
from onbook.session.reply import Reply
from onbook.session.turn import Chat
from onbook.words import sureness


class TurnGauge:
    """The `Gauge` of one turn. `threshold` is what the answer is measured by."""

    def __init__(self, chat: Chat, threshold: float) -> None:
        self._chat = chat
        self._threshold = threshold
        self.telling = _Withholding(chat.emit)
        self._quiet = QuietAsking(chat, self.telling)
        self._raw = self._said = ""
        self._reading: Reading | None = None

    @property
    def totals(self) -> Totals:
        return self._quiet.totals

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
        self.telling.note(" · ".join(filter(None, (sureness(reading.score, self._threshold), reading.weakness))))

    async def _rated(self, model: Resolved, sent: Request) -> Reading | None:
        without_tools = msgspec.structs.replace(sent, tools=())
        return await rated(without_tools, self._raw, model, self._chat.choice, self._quiet.ask)


class _Withholding(Withholding):
    """A turn may have several replies, each with a block of its own."""

    def next_reply(self) -> None:
        super().next_reply()
        self._holder = Holder()
