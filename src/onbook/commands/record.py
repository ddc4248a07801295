"""`/record`: the transcript, paused and resumed."""

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.session.live import Live


@click.group(cls=Group, default="status")
def record() -> None:
    """Show, pause or resume the recording."""


@record.command()
@click.pass_obj
async def status(call: Call) -> None:
    """Say where this session is recorded."""
    call.say(described(call.live))


@record.command()
@click.pass_obj
async def off(call: Call) -> None:
    """Leave out of the transcript what follows; that there is a gap stands in it."""
    call.live.record.pause()
    call.say(described(call.live))


@record.command()
@click.pass_obj
async def on(call: Call) -> None:
    """Record again."""
    call.live.record.resume()
    call.say(described(call.live))


def described(live: Live) -> str:
    """Where the session is recorded, in one line."""
    path = live.record.path
    if path is None:
        return "nothing is recorded (--no-record)"
    place = path.relative_to(live.root) if path.is_relative_to(live.root) else path
    return f"paused; what was said before is in {place}" if live.record.paused else f"recorded in {place}"
