"""`/compact`: the older part of a conversation, summarised by the model that answers."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing

import msgspec

from onbook.models.messages import Delta, Finish, Message, Request, Text, Usage
from onbook.models.resolver import Resolved
from onbook.models.tokens import estimate_prompt, estimate_tokens
from onbook.outcome import OnbookError, Outcome
from onbook.session.budget import Ledger
from onbook.session.context import Used, used_tokens
from onbook.session.pending import fenced

_CHARACTERS_A_TOKEN = 2
"""Fewer than there are in English, so that a part fits in any language."""
_SHARE = 0.5
"""How much of the model's window one part of the conversation may fill; the rest is for the summary and its making."""
_MOST_OF_A_RESULT = 2_000
"""Characters of a tool's result that the summary is made from."""
_ASKED = (
    "Summarise the conversation for the assistant, who will go on without having read it: what the user wants, what "
    "was decided and why, facts, names, paths and numbers exactly, what was done with tools, what is still open. "
    "Leave out greetings and detours. Write only the summary."
)
_TOLD = "This is a summary of our conversation up to here:"
_UNDERSTOOD = "Thank you, I will go on from there."

Turns = Sequence[tuple[Message, ...]]


class NotCompacted(OnbookError):
    """There is no shorter form; the conversation stays as it was."""

    outcome = Outcome.MODEL_FAILED


class Compaction(msgspec.Struct, frozen=True):
    """The exchange that takes the place of the older turns, and the conversation's size before and after."""

    exchange: tuple[Message, ...]
    before: int
    after: int
    """In estimated tokens."""


async def summarise(
    turns: Turns, model: Resolved, window: int | None, ledger: Ledger, hear: Callable[[Delta], None]
) -> str:
    """The turns in few words; `hear` is given each delta as it comes. What does not fit the window at once is
    summarised part by part, each time together with the summary so far."""
    summary = ""
    for part in _parts(turns, window):
        summary = await _ask(_question(summary, part), model, ledger, hear)
    return summary


def compacted(old: Turns, kept: Turns, summary: str) -> Compaction:
    """The summary as one exchange; NotCompacted when that is no gain."""
    if not summary.strip():
        raise NotCompacted("the model returned nothing; the conversation stays as it was")
    exchange = (Message("user", f"{_TOLD}\n\n{summary.strip()}"), Message("assistant", _UNDERSTOOD))
    gain = estimate_prompt(_flat(old)) - estimate_prompt(exchange)
    if gain <= 0:
        raise NotCompacted("the summary is no shorter than what it sums up; the conversation stays as it was")
    before = estimate_prompt(_flat([*old, *kept]))
    return Compaction(exchange, before, before - gain)


async def _ask(question: str, model: Resolved, ledger: Ledger, hear: Callable[[Delta], None]) -> str:
    request = Request((Message("user", question),))
    ledger.begin_turn(model)
    request = msgspec.structs.replace(request, max_tokens=ledger.cap(model, estimate_prompt(request.messages)))
    heard = _Heard()
    try:
        async with ledger.clock():
            opened = await model.backend.open(model.model)
            async with aclosing(opened.stream(request)) as deltas:
                async for delta in deltas:
                    hear(delta)
                    heard.take(delta)
    except BaseException:
        if heard.text:  # what was sent and said has its price, whoever broke it off
            ledger.add(model, Used(estimate_prompt(request.messages), estimate_tokens(heard.text), estimated=True))
        raise
    ledger.add(model, await used_tokens(heard.usage, request.messages, heard.text, model.backend))
    if heard.is_cut:
        ledger.check_cut()
        raise NotCompacted("the summary was cut off at the model's length limit; the conversation stays as it was")
    return heard.text


class _Heard:
    """A summary while it comes in."""

    def __init__(self) -> None:
        self.text = ""
        self.usage: Usage | None = None
        self.is_cut = False

    def take(self, delta: Delta) -> None:
        if isinstance(delta, Text):
            self.text += delta.text
        elif isinstance(delta, Usage):
            self.usage = delta
        elif isinstance(delta, Finish):
            self.is_cut = delta.reason == "length"


def _question(summary: str, part: str) -> str:
    """The task stands last: small models answer what they read last."""
    earlier = [fenced("what came before, summarised", summary)] if summary else []
    both = " Take what came before into the new summary." if summary else ""
    return "\n\n".join([*earlier, fenced("conversation", part), _ASKED + both])


def _parts(turns: Turns, window: int | None) -> Iterator[str]:
    """The conversation as text, in pieces that the model can read at once."""
    text = "\n\n".join(_readable(message) for message in _flat(turns))
    most = len(text) if window is None else max(1, int(window * _SHARE) * _CHARACTERS_A_TOKEN)
    while text:
        cut = text.rfind("\n\n", most // 2, most) if len(text) > most else len(text)
        cut = cut if cut > 0 else most
        yield text[:cut]
        text = text[cut:].lstrip("\n")


def _readable(message: Message) -> str:
    text = message.text
    if message.role == "tool" and len(text) > _MOST_OF_A_RESULT:
        text = f"{text[:_MOST_OF_A_RESULT]}\n[… {len(text) - _MOST_OF_A_RESULT} characters left out …]"
    calls = [f"[used {call.name} with {call.arguments}]" for call in message.tool_calls]
    return "\n".join([f"{message.role.upper()}:", *filter(None, (text, *calls))])


def _flat(turns: Turns) -> list[Message]:
    return [message for turn in turns for message in turn]
