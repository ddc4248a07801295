"""`/clear`: begin afresh, in the same session and the same record."""

import click

from onbook.commands.call import Call
from onbook.words import counted


@click.command()
@click.option("--pending", is_flag=True, help="Only what waits for the next message; the conversation stays.")
@click.pass_obj
async def clear(call: Call, *, pending: bool) -> None:
    """Forget the conversation so far, and what waits for the next message.

    The model is told nothing of it any more. The transcript keeps everything.
    """
    live = call.live
    waiting = live.pending.pieces
    live.pending.drop(waiting)
    words = [f"{len(waiting)} waiting"] if waiting or pending else []
    if not pending:
        words.insert(0, counted(len(live.chat.conversation.turns), "turn"))
        live.chat.conversation.clear()
    call.say(f"forgot {' and '.join(words)}")
