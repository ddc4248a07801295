"""Asking a model again how sure it is of what it has just said."""

from collections.abc import Awaitable, Callable

import msgspec

from onbook.confidence.follow_up import QUESTION, SCHEMA, score_in
from onbook.events import Reading
from onbook.models.errors import ContextOverflow, OutOfMemory, Rejected
from onbook.models.messages import Message, Request
from onbook.models.resolver import Resolved
from onbook.session.choice import ModelChoice
from onbook.session.reply import Reply

Ask = Callable[[Resolved, Request], Awaitable[Reply]]
"""Asks without a word to anybody else."""


async def rated(sent: Request, reply: str, model: Resolved, choice: ModelChoice, ask: Ask) -> Reading | None:
    """What the model says when it is asked again, with the whole exchange; None where it cannot say.

    A model that cannot be reached any more is no less sure than before: that error is raised.
    """
    exchange = (*sent.messages, Message("assistant", reply), Message("user", QUESTION))
    try:
        rating = await _follow_up(msgspec.structs.replace(sent, messages=exchange), model, choice, ask)
    except (Rejected, ContextOverflow, OutOfMemory):
        return None
    score = score_in(rating.text)
    return None if score is None else Reading(score, "follow-up")


async def _follow_up(question: Request, model: Resolved, choice: ModelChoice, ask: Ask) -> Reply:
    """The rating, held to a schema where the backend can do that. One that turns it down is asked without."""
    if not choice.holds_schema(model):
        return await ask(model, question)
    try:
        return await ask(model, msgspec.structs.replace(question, schema=SCHEMA))
    except Rejected:
        rating = await ask(model, question)
        choice.hold_to_no_schema(model)
        return rating
