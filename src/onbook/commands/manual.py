"""The manual in the terminal, for `/help` and `onbook help`: the commands, and the pages of `docs/`."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from onbook.commands.registry import ALIASES, COMMANDS
from onbook.config.errors import did_you_mean
from onbook.outcome import UsageError

_GRAMMAR = r"""/command words   a command; quote words with spaces as in a shell
!program words   a program, run in the workspace
@name text       one turn, answered by that route or model
anything else    talk to the model; \/ \! \@ at the beginning are talk too"""
_HEADS = {
    "session": "This session",
    "models": "Models",
    "files": "Files",
    "programs": "Programs",
    "knowledge": "Knowledge",
    "safety": "Safety",
}


def pages() -> dict[str, Path]:
    """Every page by its topic, from the installed package or from the clone it runs in."""
    package = Path(str(resources.files("onbook")))
    for folder in (package.parent.parent / "docs", package / "docs"):
        if (folder / "events.md").is_file():
            return {path.stem: path for path in folder.glob("*.md")}
    return {}


def overview() -> str:
    """The grammar, every command with its line, and the topics."""
    parts = [_GRAMMAR]
    for about, head in _HEADS.items():
        rows = [f"  /{name:<12} {entry.summary}" for name, entry in COMMANDS.items() if entry.about == about]
        parts.append("\n".join([head, *rows]))
    parts.append(f"/help COMMAND or /help TOPIC tells more. Topics: {' '.join(sorted(pages()))}")
    return "\n\n".join(parts)


def page(topic: Sequence[str]) -> str:
    """The help of a command, or a page; a command goes before a page of the same name."""
    if is_command(topic):
        from onbook.commands.usage import help_of

        first = topic[0].removeprefix("/").lower()
        return help_of([ALIASES.get(first, first), *topic[1:]])
    found = pages().get("-".join(topic))
    if found is None:
        hint = did_you_mean(" ".join(topic), [*COMMANDS, *pages()]) or "; /help lists them"
        raise UsageError(f'no topic "{" ".join(topic)}"{hint}')
    return found.read_text(encoding="utf-8").rstrip("\n")


def is_command(topic: Sequence[str]) -> bool:
    """Whether the words begin with the name of a slash command."""
    name = topic[0].removeprefix("/").lower() if topic else ""
    return name in COMMANDS or name in ALIASES
