"""`onbook help`: the manual's pages in the terminal. A topic is a page of `docs/`; a command's page is its help."""

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from onbook.cli import options
from onbook.cli.app import COMMANDS
from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def complete_topics(ctx: click.Context, param: click.Parameter, incomplete: str) -> "list[CompletionItem]":  # noqa: ARG001
    """Pages and commands; after a command, its own commands."""
    typed: tuple[str, ...] = ctx.params.get("topic") or ()
    if not typed:
        return options.offered([*sorted(_pages()), *sorted(COMMANDS)], incomplete)
    try:
        command, context = _command(ctx.find_root(), typed)
    except UsageError:
        return []
    return options.offered(command.list_commands(context) if isinstance(command, click.Group) else (), incomplete)


@click.command("help")
@click.argument("topic", nargs=-1, metavar="[TOPIC]", shell_complete=complete_topics)
@click.pass_context
def help_(ctx: click.Context, topic: tuple[str, ...]) -> None:
    """Read the manual: a topic, or a command with its options. Without TOPIC, list the topics."""
    pages = _pages()
    if not topic:
        click.echo("Topics:   " + " ".join(sorted(pages)))
        click.echo("Commands: " + " ".join(sorted(COMMANDS)))
        click.echo("\nonbook help TOPIC prints a page; the pager of your choice: onbook help TOPIC | less")
        return
    name = "-".join(topic)
    if topic[0] in COMMANDS:
        command, context = _command(ctx.find_root(), topic)
        click.echo(command.get_help(context))
    elif name in pages:
        click.echo(pages[name].read_text(encoding="utf-8"))
    else:
        hint = did_you_mean(name, [*pages, *COMMANDS]) or ";"
        raise UsageError(f'no topic "{" ".join(topic)}"{hint} `onbook help` lists them')


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


def _pages() -> dict[str, Path]:
    """The pages, from the installed package or from the clone it runs in."""
    package = Path(str(resources.files("onbook")))
    for folder in (package.parent.parent / "docs", package / "docs"):
        if (folder / "events.md").is_file():
            return {path.stem: path for path in folder.glob("*.md")}
    return {}
