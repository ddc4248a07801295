"""`onbook help`: the manual's pages in the terminal. A topic is a page of `docs/`; a command's page is its help."""

from importlib import resources
from pathlib import Path

import click

from onbook.cli.app import COMMANDS
from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError


@click.command("help")
@click.argument("topic", nargs=-1, metavar="[TOPIC]")
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
        click.echo(_command_help(ctx.find_root(), topic))
    elif name in pages:
        click.echo(pages[name].read_text(encoding="utf-8"))
    else:
        hint = did_you_mean(name, [*pages, *COMMANDS]) or ";"
        raise UsageError(f'no topic "{" ".join(topic)}"{hint} `onbook help` lists them')


def _command_help(root: click.Context, words: tuple[str, ...]) -> str:
    command: click.Command = root.command
    context = root
    for word in words:
        found = command.get_command(context, word) if isinstance(command, click.Group) else None
        if found is None:
            raise UsageError(f'"{context.command_path}" has no command "{word}"')
        command = found
        context = click.Context(command, info_name=word, parent=context)
    return command.get_help(context)


def _pages() -> dict[str, Path]:
    """The pages, from the installed package or from the clone it runs in."""
    package = Path(str(resources.files("onbook")))
    for folder in (package.parent.parent / "docs", package / "docs"):
        if (folder / "events.md").is_file():
            return {path.stem: path for path in folder.glob("*.md")}
    return {}
