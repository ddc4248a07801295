"""`/exit`, `/quit`, `/bye`: leave the session."""

import click

from onbook.commands.call import Call


@click.command()
@click.pass_obj
async def exit_(call: Call) -> None:
    """Leave the session. What was said is recorded already."""
    call.live.exit.asked = True
