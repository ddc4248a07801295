"""What is made from the code in the manual, so that it cannot go stale: the pages of commands and settings, and the
list of commands on the page of the session.

`python -m onbook.cli.pages docs` writes them; a test compares.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from onbook.cli.app import COMMANDS, onbook
from onbook.cli.settings_page import settings_page
from onbook.commands.manual import HEADS
from onbook.commands.registry import COMMANDS as SLASH_COMMANDS
from onbook.commands.usage import help_of, subcommands


def command_pages() -> dict[str, str]:
    """The Markdown page of each command, by file name."""
    root = click.Context(onbook, info_name="onbook", max_content_width=100, terminal_width=100)
    pages = {"onbook.md": _page("onbook", onbook.get_help(root))}
    for name in COMMANDS:
        command = onbook.get_command(root, name)
        if command is not None:
            pages[f"{name}.md"] = "\n".join(_sections(command, name, root))
    return pages | {f"slash-{name}.md": "\n".join(_slash_sections([name])) for name in SLASH_COMMANDS}


def with_commands(page: str) -> str:
    """The page of the session with the table of commands as it is today, below the heads of `/help`."""
    before, table, rest = page.partition("| | |\n")
    after = rest.partition("\n\n")[2]
    rows = "\n".join(_command_rows())
    return f"{before}{table}{rows}\n\n{after}"


def _command_rows() -> Iterator[str]:
    yield "| --- | --- |"
    for about, head in HEADS.items():
        yield f"| **{head}** | |"
        for name, entry in SLASH_COMMANDS.items():
            if entry.about == about:
                yield f"| [`/{name}`](commands/slash-{name}.md) | {entry.summary} |"


def _sections(command: click.Command, name: str, parent: click.Context) -> Iterator[str]:
    """The command's own help, then that of each of its subcommands."""
    context = click.Context(command, info_name=name, parent=parent, max_content_width=100, terminal_width=100)
    yield _page(context.command_path, command.get_help(context))
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            if found is not None:
                yield from _sections(found, each, context)


def _slash_sections(words: list[str]) -> Iterator[str]:
    """The same of a command of the session: `slash-model.md` beside `model.md`."""
    yield _page(f"/{' '.join(words)}", help_of(words))
    for each in subcommands(words):
        yield from _slash_sections([*words, each])


def _page(title: str, text: str) -> str:
    return f"# {title}\n\n```text\n{text}\n```\n"


def main(docs: Path) -> None:
    commands = docs / "commands"
    commands.mkdir(parents=True, exist_ok=True)
    for stale in commands.glob("*.md"):
        stale.unlink()
    for name, page in command_pages().items():
        (commands / name).write_text(page, encoding="utf-8")
    (docs / "settings-reference.md").write_text(settings_page(), encoding="utf-8")
    session = docs / "session.md"
    session.write_text(with_commands(session.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
