"""`/help`: what can be typed, a command at a time."""

import click

from onbook.commands.call import Call
from onbook.commands.registry import COMMANDS


@click.command()
@click.pass_obj
async def help_(call: Call) -> None:
    """Show what can be typed here."""
    for name, entry in sorted(COMMANDS.items()):
        call.say(f"/{name:<12} {entry.summary}")
