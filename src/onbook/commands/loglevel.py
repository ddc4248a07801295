"""`/loglevel`: how much is said beside the answers."""

import typing

import click

from onbook.commands.call import Call
from onbook.session.live import LogLevel


@click.command()
@click.argument("level", required=False, type=click.Choice(typing.get_args(LogLevel), case_sensitive=False))
@click.pass_obj
async def loglevel(call: Call, level: LogLevel | None) -> None:
    """Show or set how much is said beside the answers.

    \b
    none    warnings and errors only
    info    notices too: which model, what goes along (the default)
    debug   everything: tools with arguments and results, programs with output
    """
    if level is not None:
        call.live.log.level = level
    call.say(call.live.log.level)
