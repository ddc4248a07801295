"""What click has to say of a line that was typed wrongly, for a shell's and for a session's."""

import re
from collections.abc import Iterable

import click

from onbook.config.errors import did_you_mean


def message_of(error: click.ClickException) -> str:
    """Its message as one line without a full stop. For a name that is not there click suggests what is hardly like it;
    here the rule is the same as for every other name."""
    if isinstance(error, click.NoSuchOption):
        return f"no such option {error.option_name}{did_you_mean(error.option_name, _options(error.ctx))}"
    if isinstance(error, click.exceptions.NoSuchCommand):
        return f'no command "{error.command_name}"{did_you_mean(error.command_name, _commands(error.ctx))}'
    message = " ".join(error.format_message().split()).removesuffix(".")
    message = _RANGE.sub(_bounds, message)
    return message[:1].lower() + message[1:]


_RANGE = re.compile(r"in the range (?:(?P<least>\S+)<=x<=(?P<most>\S+)|x>=(?P<from>\S+)|x>(?P<above>\S+))")


def _bounds(found: re.Match[str]) -> str:
    """What click writes as a formula: `between 1 and 50`, `1 or more`, `more than 0`."""
    if found["least"]:
        return f"between {found['least']} and {found['most']}"
    return f"{found['from']} or more" if found["from"] else f"more than {found['above']}"


def _commands(context: click.Context | None) -> list[str]:
    group = context.command if context is not None else None
    return list(group.commands) if isinstance(group, click.Group) else []


def _options(context: click.Context | None) -> Iterable[str]:
    for param in context.command.params if context is not None else ():
        if isinstance(param, click.Option) and not param.hidden:
            yield from (*param.opts, *param.secondary_opts)
