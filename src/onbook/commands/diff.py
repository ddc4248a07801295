"""`/diff`: what the last turn changed, as a unified diff."""

import click

from onbook.commands.call import Call
from onbook.policy.undo import NothingToUndo
from onbook.session.differences import unified


@click.command()
@click.pass_obj
async def diff(call: Call) -> None:
    """Show what the last turn changed, file by file. /undo takes it back."""
    try:
        changes = await call.live.door.changes()
    except NothingToUndo:
        call.note("no turn has changed a file")
        return
    for change in changes:
        call.say("\n".join(unified(change)))
    if not changes:
        call.note("the files are as they were before the last turn that changed any")
