"""Asking a model beside its answer: what it says then is paid for, and not told."""

from functools import reduce

from onbook.confidence.voices import Quiet
from onbook.events import Totals
from onbook.models.messages import Request, ToolCall
from onbook.models.resolver import Resolved
from onbook.session.reply import Replies, Reply
from onbook.session.telling import Telling
from onbook.session.turn import Chat


class QuietAsking:
    """Everything that is asked beside one answer, of which `telling` tells. Several may be asked at the same time."""

    def __init__(self, chat: Chat, telling: Telling) -> None:
        self._chat = chat
        self._telling = telling
        self._replies: list[Replies] = []

    @property
    def totals(self) -> Totals:
        """What all of it has cost."""
        return reduce(Totals.plus, (each.totals for each in self._replies), Totals())

    async def ask(self, model: Resolved, request: Request) -> Reply:
        """A reply that only the caller hears."""
        self._chat.ledger.begin_call(model)
        replies = Replies(self._chat.choice, self._chat.ledger, Quiet(self._telling))
        self._replies.append(replies)
        return await replies.next(model, request, uncarried)


def uncarried(call: ToolCall) -> ToolCall:
    """The call as it is: nobody carries out what a model calls here, so that it needs no id of its own."""
    return call
