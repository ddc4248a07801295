"""`/model`: which model answers, and another one instead."""

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import ModelName
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError


@click.group(cls=Group, default="use")
def model() -> None:
    """Show or change the model that answers."""


@model.command()
@click.argument("name", required=False, type=ModelName())
@click.pass_obj
async def use(call: Call, name: str | None) -> None:
    """Show the model and why it answers; with NAME, a route or a model, let that one answer from now on.

    The conversation goes on with it. `@NAME text` asks another model for one turn only.
    """
    choice = call.live.choice
    chosen = await choice.switch(name) if name else await choice.current()
    window = await choice.window(chosen)
    size = f"{window} tokens" if window else "unknown"
    call.say(f"{described(chosen)}; context window: {size}")


@model.command("list")
@click.pass_obj
async def list_(call: Call) -> None:
    """List the routes, and the models of the active one's server."""
    choice = call.live.choice
    try:
        chosen = await choice.current()
    except OnbookError:
        _say_routes(call, None)  # with one of them, /model NAME is a way out
        raise
    _say_routes(call, chosen.name)
    listed = await choice.list_models()
    if listed is None:
        call.note(f"{chosen.backend.name} cannot list its models")
    for name in listed or ():
        call.say(f"{'*' if name == chosen.model else ' '} {name}  on {chosen.backend.name}")


def _say_routes(call: Call, chosen: str | None) -> None:
    for route in call.live.settings.routes:
        call.say(f"{'*' if route.name == chosen else ' '} {route.name}  {route.url}  {route.model or ''}".rstrip())


def described(chosen: Resolved) -> str:
    """The model, where it lives and why it answers."""
    where = "elsewhere" if chosen.backend.remote else "on this machine"
    return f"{chosen.model} ({chosen.backend.name}, {where}; {chosen.why})"
