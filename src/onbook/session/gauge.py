"""Somebody who wants to know how sure the model is of the answer of a turn: what the turn lets them see and do."""

from typing import Protocol

from onbook.events import Totals
from onbook.models.messages import Request
from onbook.models.resolver import Resolved
from onbook.session.attachments import Prompt
from onbook.session.reply import Reply
from onbook.session.telling import Telling


class Gauge(Protocol):
    """Made for one turn. What it adds to the question and takes from the answer is nowhere remembered."""

    @property
    def telling(self) -> Telling:
        """Who tells of the turn, without what is said of confidence."""
        ...

    @property
    def totals(self) -> Totals:
        """What finding out has cost."""
        ...

    def asked(self, prompt: Prompt) -> Prompt:
        """The question as the model reads it."""
        ...

    def heard(self, reply: Reply) -> Reply:
        """A whole reply, as others may read it."""
        ...

    async def read(self, model: Resolved, sent: Request) -> None:
        """The last reply was the answer, to what was sent: find out, and tell."""
        ...
