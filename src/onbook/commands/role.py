"""`/role`: the part that the model plays."""

from collections.abc import Iterator

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import RoleName
from onbook.config.errors import did_you_mean
from onbook.config.role_settings import Role
from onbook.outcome import UsageError
from onbook.session.live import Live


@click.group(cls=Group, default="use")
def role() -> None:
    """Show or change the role the model plays."""


@role.command()
@click.argument("name", required=False, type=RoleName())
@click.pass_obj
async def use(call: Call, name: str | None) -> None:
    """Show the role; with NAME, play that one from now on; with `none`, play none.

    A role can bring its own instruction, model, temperature and tools, and a pipeline and a workflow that the next
    message goes through before the model sees it; see `/help roles`.
    """
    live = call.live
    if name is not None:
        wanted = None if name.casefold() == "none" else _known(live, name)
        await live.part.take(wanted, live.chat)
    call.say(_described(live.part.role) if live.part.role else "no role")
    if name is not None and live.part.role and live.part.role.welcome:
        call.say(live.part.role.welcome)


@role.command()
@click.argument("name", required=False, type=RoleName())
@click.pass_obj
async def show(call: Call, name: str | None) -> None:
    """Show all that a role brings: the one of that NAME, or the one that is played."""
    meant = _known(call.live, name) if name is not None else call.live.part.role
    if meant is None:
        call.say("no role")
    else:
        for line in _in_full(meant):
            call.say(line)


@role.command("list")
@click.pass_obj
async def list_(call: Call) -> None:
    """List the roles of the settings."""
    played = call.live.part.role
    if not call.live.settings.roles:
        call.note("no roles; [[roles]] in onbook.toml defines them, see /help roles")
    for each in call.live.settings.roles:
        call.say(f"{'*' if played and each.name == played.name else ' '} {_described(each)}")


def _known(live: Live, name: str) -> Role:
    found = live.settings.role_named(name)
    if found is None:
        near = did_you_mean(name, [each.name for each in live.settings.roles])
        raise UsageError(f"no role {name}{near or '; /role list shows what there is'}")
    return found


def _described(role: Role) -> str:
    """The role and what it changes, in one line."""
    return ", ".join([role.name, *(f"{key} {value}" for key, value in _changes(role))])


def _in_full(role: Role) -> Iterator[str]:
    yield role.name
    for key, value in _changes(role):
        yield f"  {key}: {value}"
    for key, text in (("welcome", role.welcome), ("system", role.system)):
        if text:
            yield f"  {key}:"
            yield from (f"    {line}".rstrip() for line in text.strip().splitlines())


def _changes(role: Role) -> Iterator[tuple[str, object]]:
    """What differs from playing no role."""
    for key in ("model", "temperature", "top_p", "pipeline", "workflow"):
        value = getattr(role, key)
        if value is not None:
            yield key, value
    if role.tools is not None:
        yield "tools", " ".join(role.tools) or "none"
