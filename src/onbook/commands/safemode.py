"""`/safemode [on|off]`: whether models are held to the table of harmless programs."""

import click

from onbook.commands.call import Call

_ON = "safe mode is on: models run only programs of its table, without their dangerous options"
_OFF = "safe mode is off: you are asked about every program that a model wants to run; /safemode on ends that"


@click.command()
@click.argument("state", required=False, type=click.Choice(("on", "off"), case_sensitive=False))
@click.pass_obj
async def safemode(call: Call, state: str | None) -> None:
    """Show safe mode, or switch it for this session. policy.safe_mode in the settings is for every session.

    It is for what models run; what you type with ! or /run is your own.
    """
    door = call.live.door
    if state is not None:
        door.switch_safe_mode(on=state.lower() == "on")
    call.say(_ON if door.rules.safe_mode else _OFF)
    if not door.rules.safe_mode and door.asker is None:
        call.note("there is nobody to ask here: only what --allow covers will run")
