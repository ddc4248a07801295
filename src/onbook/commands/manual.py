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
HEADS = {
    "session": "This session",
    "models": "Models",
    "files": "Files",
    "programs": "Programs",
    "knowledge": "Knowledge",
    "safety": "Safety",
}


_BESIDE = {"contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}
"""Pages that a clone has beside `docs/`; the installed package has them among the others."""


def pages() -> dict[str, Path]:
    """Every page by its topic, from the installed package or from the clone it runs in."""
    package = Path(str(resources.files("onbook")))
    clone = package.parent.parent
    if (clone / "docs" / "events.md").is_file():
        return _topics(clone / "docs") | {topic: clone / name for topic, name in _BESIDE.items()}
    return _topics(package / "docs")


def title(page: Path) -> str:
    """What the page is called: its first heading."""
    with page.open(encoding="utf-8") as text:
        return text.readline().removeprefix("#").strip()


def overview() -> str:
    """The grammar, every command with its line, and the topics."""
    parts = [_GRAMMAR]
    for about, head in HEADS.items():
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
    found = pages().get(topic_of(topic))
    if found is None:
        hint = did_you_mean(" ".join(topic), [*COMMANDS, *pages()]) or "; /help lists them"
        raise UsageError(f'no topic "{" ".join(topic)}"{hint}')
    return found.read_text(encoding="utf-8").rstrip("\n")


def topic_of(words: Sequence[str]) -> str:
    """The name of the page that the words mean: `workflow agents`, or as a link has it, `workflow-agents.md`."""
    return "-".join(words).lower().partition("#")[0].removesuffix(".md")


def is_command(topic: Sequence[str]) -> bool:
    """Whether the words begin with the name of a slash command."""
    name = topic[0].removeprefix("/").lower() if topic else ""
    return name in COMMANDS or name in ALIASES


def _topics(folder: Path) -> dict[str, Path]:
    return {path.stem.lower(): path for path in folder.glob("*.md")}
