"""`onbook help`: the manual in the terminal. A topic is a page of `docs/`, a command, or a slash command."""

import sys
from typing import TYPE_CHECKING

import click

from onbook.cli import options
from onbook.cli.app import COMMANDS
from onbook.commands import manual
from onbook.commands.registry import COMMANDS as SLASH_COMMANDS
from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError
from onbook.terminal.screen import is_terminal, width_of

if TYPE_CHECKING:
    from pathlib import Path

    from click.shell_completion import CompletionItem

_HINT = "onbook help TOPIC prints a page; with a pager: onbook help TOPIC | less"


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
    if topic == ("onbook",):
        click.echo(ctx.find_root().get_help())
        return
    topic = topic[1:] if topic[:1] == ("onbook",) else topic  # as a command is typed
    name = manual.topic_of(topic)
    if not topic:
        click.echo(_contents(pages))
    elif topic[0] in COMMANDS and (len(topic) == 1 or name not in pages):
        command, context = _command(ctx.find_root(), topic)
        click.echo(command.get_help(context))
        if name in pages:
            click.echo()
            _show(pages[name])
    elif name in pages:
        _show(pages[name])
    elif manual.is_command(topic):
        click.echo(manual.page(topic))
    else:
        hint = did_you_mean(name, [*pages, *COMMANDS, *(f"/{each}" for each in SLASH_COMMANDS)]) or ";"
        raise UsageError(f'no topic "{" ".join(topic)}"{hint} `onbook help` lists them')


def _contents(pages: "dict[str, Path]") -> str:
    """Every topic with its title, then the commands."""
    titles = [f"  {topic:<19} {manual.title(page)}" for topic, page in sorted(pages.items())]
    slash = [f"/{each}" for each in sorted(SLASH_COMMANDS)]
    return "\n".join(
        ["Topics:", *titles, "", "Commands:", _filled(sorted(COMMANDS)), "", "In a session:", _filled(slash), "", _HINT]
    )


def _filled(words: list[str]) -> str:
    from textwrap import fill

    return fill(" ".join(words), 78, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)


def _show(page: "Path") -> None:
    """The page drawn for a terminal, and as it is for a pipe."""
    text = page.read_text(encoding="utf-8")
    columns = width_of(sys.stdout) if is_terminal(sys.stdout) else None
    if columns is not None:
        from onbook.terminal.growing import WIDEST
        from onbook.terminal.markdown import rendered

        text = rendered(text, min(columns, WIDEST), reflowed=True)
    click.echo(text.rstrip("\n"))


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
            raise UsageError(f'"{context.command_path}" has no command "{word}"; see {context.command_path} --help')
        command = found
        context = click.Context(command, info_name=word, parent=context)
    return command, context
