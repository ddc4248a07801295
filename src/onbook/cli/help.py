"""`onbook help`: the manual in the terminal. A topic is a page of `docs/`, a command, or a slash command."""

from typing import TYPE_CHECKING

import click

from onbook.cli import options
from onbook.cli.app import COMMANDS
from onbook.commands import manual
from onbook.commands.registry import COMMANDS as SLASH_COMMANDS
from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    """Pages and commands; after a command, its own commands."""
    typed: tuple[str, ...] = ctx.params.get("topic") or ()
    if not typed:
        slash = [f"/{name}" for name in SLASH_COMMANDS] if incomplete.startswith("/") else []
        return options.offered([*sorted(manual.pages()), *sorted(COMMANDS), *slash], incomplete)
    try:
        return options.offered(_subcommands(ctx.find_root(), typed), incomplete)
    except UsageError:
        return []


@click.command("help")
@click.argument("topic", nargs=-1, metavar="[TOPIC]", shell_complete=complete_topics)
@click.pass_context
def help_(ctx: click.Context, topic: tuple[str, ...]) -> None:
    """Read the manual: a topic, a command with its options, or a /command of the session. Without TOPIC, list them."""
    pages = manual.pages()
    name = "-".join(topic)
    if not topic:
        click.echo("Topics:   " + " ".join(sorted(pages)))
        click.echo("Commands: " + " ".join(sorted(COMMANDS)))
        click.echo("In a session: " + " ".join(f"/{each}" for each in sorted(SLASH_COMMANDS)))
        click.echo("\nonbook help TOPIC prints a page; the pager of your choice: onbook help TOPIC | less")
    elif topic[0] in COMMANDS:
        command, context = _command(ctx.find_root(), topic)
        click.echo(command.get_help(context))
        if name in pages:
            click.echo(f"\n{pages[name].read_text(encoding='utf-8')}")
    elif name in pages and not name.startswith("/"):
        click.echo(pages[name].read_text(encoding="utf-8"))
    elif manual.is_command(topic):
        click.echo(manual.page(topic))
    else:
        hint = did_you_mean(name, [*pages, *COMMANDS, *(f"/{each}" for each in SLASH_COMMANDS)]) or ";"
        raise UsageError(f'no topic "{" ".join(topic)}"{hint} `onbook help` lists them')


def _subcommands(root: click.Context, words: tuple[str, ...]) -> list[str]:
    if words[0] not in COMMANDS and manual.is_command(words):
        from onbook.commands.usage import subcommands

        return subcommands([words[0].removeprefix("/"), *words[1:]])
    command, context = _command(root, words)
    return command.list_commands(context) if isinstance(command, click.Group) else []


def _command(root: click.Context, words: tuple[str, ...]) -> tuple[click.Command, click.Context]:
    """The command that the words name, one inside the other."""
    command: click.Command = root.command
    context = root
    for word in words:
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            raise UsageError(f'"{context.command_path}" has no command "{word}"')
        command = found
        context = click.Context(command, info_name=word, parent=context)
    return command, context
