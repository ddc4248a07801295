"""`/compact`: a long conversation in fewer words, so that it fits the model again."""

import time

import click

from onbook.commands.call import Call
from onbook.events import ReasoningDelta
from onbook.models.messages import Delta, Reasoning, Retrying, Text
from onbook.outcome import UsageError
from onbook.session.compaction import compacted, summarise
from onbook.words import counted


@click.command()
@click.option(
    "--keep", type=click.IntRange(min=0), default=2, show_default=True, metavar="N", help="Keep the last N turns as is."
)
@click.pass_obj
async def compact(call: Call, keep: int) -> None:
    """Have the model summarise the conversation, and go on with the summary in its place.

    The last turns are kept word for word. Where it fails, the conversation stays as it was. The transcript keeps
    everything, and `onbook --continue` begins with all of it.
    """
    chat = call.live.chat
    turns = chat.conversation.turns
    old, kept = (turns[:-keep], turns[-keep:]) if keep else (turns, ())
    if not old:
        kept_anyway = f", and the last {keep} are kept (--keep N)" if turns else ""
        raise UsageError(f"nothing to compact: {counted(len(turns), 'turn')} so far{kept_anyway}")
    model = await chat.choice.current()
    window = await chat.choice.window(model)
    summary = await summarise(old, model, window, call.live.ledger, lambda delta: _hear(call, delta))
    shorter = compacted(old, kept, summary)
    chat.conversation.replace_history(shorter.exchange, keep=len(kept))
    call.note(f"{counted(len(old), 'turn')} summarised: ~{shorter.before} tokens before, ~{shorter.after} now")


def _hear(call: Call, delta: Delta) -> None:
    if isinstance(delta, Text):
        call.stream(delta.text)
    elif isinstance(delta, Reasoning):
        call.emit(ReasoningDelta(run=call.run, time=time.time(), text=delta.text))
    elif isinstance(delta, Retrying):
        call.note(delta.sentence, "warning")
