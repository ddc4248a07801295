"""How a command is used: its usage line, its help, and click's complaints in our own words."""

import re
import textwrap
from collections.abc import Iterator, Sequence

import click

from onbook.commands.group import Group
from onbook.commands.misuse import message_of
from onbook.commands.registry import COMMANDS, slash_commands
from onbook.outcome import UsageError

_WIDTH = 80
_LINE = 100
"""Characters of a command's first sentence in the help of the command above it."""
_QUOTED_PARAMETER = re.compile(r"'(--?[\w-]+|\[[^']*\]|[A-Z][A-Z_.…-]*)'")


def help_of(words: Sequence[str]) -> str:
    """The help of the command that the words name, one inside the other, as `/session show`."""
    return help_text(_context(words))


def subcommands(words: Sequence[str]) -> list[str]:
    """The subcommands of the command that the words name."""
    context = _context(words)
    return context.command.list_commands(context) if isinstance(context.command, click.Group) else []


def help_text(context: click.Context) -> str:
    """Usage, what it does, its options and its subcommands."""
    formatter = click.HelpFormatter(width=_WIDTH)
    formatter.write(f"{_wrapped(usage(context))}\n")
    context.command.format_help_text(context, formatter)
    click.Command.format_options(context.command, context, formatter)
    inner = list(_inner(context))
    if inner:
        with formatter.section("Commands"):
            formatter.write_dl([(usage(each), each.command.get_short_help_str(_LINE)) for each in inner])
    same = [alias for name, entry in COMMANDS.items() if context.info_name == f"/{name}" for alias in entry.aliases]
    if same:
        formatter.write(f"\nThe same: {' '.join(f'/{alias}' for alias in same)}\n")
    return formatter.getvalue().rstrip("\n")


def _wrapped(usage_line: str) -> str:
    """In lines that fit, broken between options only."""
    joined = re.sub(r"\[[^]]*\]", lambda option: option[0].replace(" ", "\0"), usage_line)
    lines = textwrap.wrap(joined, _WIDTH, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines).replace("\0", " ")


def usage(context: click.Context) -> str:
    """`/read-dir [--depth N] DIR`; the subcommand that needs no name goes without it."""
    command, parent = context.command, context.parent
    path = context.command_path
    if isinstance(command, click.Group):
        return f"{path} {_choices(command, context)}"
    if parent is not None and isinstance(parent.command, Group) and parent.command.default == context.info_name:
        path = parent.command_path
    options = [_option(each, context) for each in command.params if isinstance(each, click.Option) and not each.hidden]
    return " ".join([path, *options, *_arguments(command, context)])


def complaint(error: click.ClickException) -> str:
    """What click has to say, in one line of our own form."""
    message = _QUOTED_PARAMETER.sub(r"\1", message_of(error)).replace("...", "…")
    message = message.replace("valid integer range", "whole number")
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or context.parent is None:
        return message
    hint = "" if message.endswith("?") else f"; usage: {usage(context)}"
    return f"{context.command_path}: {message}{hint}"


def _choices(group: click.Group, context: click.Context) -> str:
    """`[list|NAME]`: the subcommands, and what may stand in their place."""
    default = group.commands.get(group.default or "") if isinstance(group, Group) else None
    if default is None:
        return "|".join(group.list_commands(context))
    words = _arguments(default, context)
    names = [name for name in group.list_commands(context) if not words or name != default.name]
    return f"[{'|'.join([*names, ' '.join(word.strip('[]') for word in words)]).removesuffix('|')}]"


def _option(option: click.Option, context: click.Context) -> str:
    name = max(option.opts, key=len)
    text = name if option.is_flag else f"{name} {option.make_metavar(context)}"
    return text if option.required else f"[{text}]"


def _arguments(command: click.Command, context: click.Context) -> list[str]:
    found = [each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)]
    return [word.replace("...", "…") for word in found]


def _context(words: Sequence[str]) -> click.Context:
    context = click.Context(slash_commands(), info_name="", help_option_names=[])
    for word in words:
        group = context.command
        found = group.get_command(context, word) if isinstance(group, click.Group) else None
        if found is None:
            raise UsageError(f'{context.command_path} has no command "{word}"')
        context = click.Context(found, info_name=word if context.parent else f"/{word}", parent=context)
    return context


def _inner(context: click.Context) -> Iterator[click.Context]:
    command = context.command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield click.Context(found, info_name=name, parent=context)
