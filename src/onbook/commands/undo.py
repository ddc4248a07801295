"""`/undo`: the files as they were before the last turn that changed any."""

import click

from onbook.commands.call import Call
from onbook.outcome import Outcome


@click.command()
@click.pass_obj
async def undo(call: Call) -> Outcome:
    """Take back what the last turn changed; again, the turn before it.

    Every write and delete of a model, and of /write, keeps the earlier bytes. A file that was changed since is left
    alone, and named. What programs changed is not taken back.
    """
    undone = await call.live.door.take_back()
    for path in undone.restored:
        call.say(f"took back {path}")
    for problem in undone.refused:
        call.note(problem, "warning")
    return Outcome.FAILED if undone.refused else Outcome.PASSED
