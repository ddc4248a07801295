"""`/undo`: the files as they were before the last turn that changed any."""

import asyncio
import time

import click

from onbook.commands.call import Call
from onbook.outcome import Outcome, UsageError


@click.command()
@click.option("--earlier", is_flag=True, help="Also what an earlier session changed.")
@click.pass_obj
async def undo(call: Call, *, earlier: bool) -> Outcome:
    """Take back what the last turn changed; again, the turn before it.

    Every write and delete of a model, and of /write, keeps the earlier bytes. A file that was changed since is left
    alone, and named. What programs changed is not taken back.
    """
    door = call.live.door
    when = await asyncio.to_thread(door.undo.earlier)
    if when is not None and not earlier:
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(when))
        raise UsageError(f"the last change was made in an earlier session ({day}); /undo --earlier takes it back")
    undone = await door.take_back()
    for path in undone.restored:
        call.say(f"took back {path}")
    for problem in undone.refused:
        call.note(problem, "warning")
    return Outcome.FAILED if undone.refused else Outcome.PASSED
