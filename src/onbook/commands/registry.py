"""The table of slash commands, from which help, completion and the manual's pages are made."""

from importlib import import_module
from typing import Any

import click
import msgspec

from onbook.config.errors import did_you_mean


class Entry(msgspec.Struct, frozen=True):
    """A command as the table knows it, without importing it."""

    where: str
    """`module:attribute` of a click command whose callback is async and takes the `Call` first."""
    summary: str
    recorded: bool = False
    """Whether the transcript keeps its runs: yes for what changes something or reaches a model."""
    aliases: tuple[str, ...] = ()


COMMANDS = {
    "attach": Entry("onbook.commands.attach:attach", "Send a picture or a text file with the next message.", True),
    "audit": Entry("onbook.commands.audit:audit", "Show or verify the log of every effect."),
    "clear": Entry("onbook.commands.clear:clear", "Forget the conversation so far.", True),
    "compact": Entry("onbook.commands.compact:compact", "Summarise the conversation into less.", True),
    "context": Entry("onbook.commands.context:context", "Show what the model is told, and what it costs."),
    "diff": Entry("onbook.commands.diff:diff", "Show what the last turn changed."),
    "exit": Entry("onbook.commands.exit:exit_", "Leave the session.", aliases=("quit", "bye")),
    "files": Entry("onbook.commands.files:files", "List the files of the workspace."),
    "git": Entry("onbook.commands.git:git", "Show git's view of the workspace to you and the model.", True),
    "help": Entry("onbook.commands.help:help_", "Show what can be typed here."),
    "loglevel": Entry("onbook.commands.loglevel:loglevel", "Say more or less beside the answers."),
    "memory": Entry("onbook.commands.memory:memory", "Keep facts about this workspace."),
    "model": Entry("onbook.commands.model:model", "Show or change the model that answers.", True),
    "permissions": Entry("onbook.commands.permissions:permissions", "Show what models may do, folder by folder."),
    "rag": Entry("onbook.commands.rag:rag", "Index files and find passages in them.", True),
    "read": Entry("onbook.commands.read:read", "Show files to the model.", True),
    "read-dir": Entry("onbook.commands.read_dir:read_dir", "Show the files of a folder to the model.", True),
    "record": Entry("onbook.commands.record:record", "Show, pause or resume the recording."),
    "role": Entry("onbook.commands.role:role", "Show or change the role the model plays.", True),
    "route": Entry("onbook.commands.route:route", "List the named ways to models."),
    "run": Entry("onbook.commands.run:run", "Run a program and show its output to the model.", True),
    "safemode": Entry("onbook.commands.safemode:safemode", "Show or switch the list of harmless programs."),
    "search": Entry("onbook.commands.search:search", "Find a pattern in the files of the workspace.", True),
    "session": Entry("onbook.commands.session:session", "List, show, continue or replay recorded sessions."),
    "skill": Entry("onbook.commands.skill:skill", "List, show, load or make skills."),
    "status": Entry("onbook.commands.status:status", "Show the state of this session."),
    "undo": Entry("onbook.commands.undo:undo", "Take back what the last turn changed.", True),
    "write": Entry("onbook.commands.write:write", "Write the last reply, or its code, to a file.", True),
}

ALIASES = {alias: name for name, entry in COMMANDS.items() for alias in entry.aliases}


class SlashGroup(click.Group):
    """All commands as one click group, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return command(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        found = command(name)
        if found is None:
            hint = did_you_mean(f"/{name}", [f"/{each}" for each in (*COMMANDS, *ALIASES)])
            raise click.UsageError(f"/{name} is not a command{hint or '; /help lists them'}", ctx)
        return name, found, args[1:]


def command(name: str) -> click.Command | None:
    """The command of that name or alias; None when there is none."""
    entry = COMMANDS.get(ALIASES.get(name, name))
    if entry is None:
        return None
    module, _, attribute = entry.where.partition(":")
    found: click.Command = getattr(import_module(module), attribute)
    return found


def is_recorded(name: str) -> bool:
    entry = COMMANDS.get(ALIASES.get(name, name))
    return entry is not None and entry.recorded


def slash_commands() -> click.Group:
    """The group itself, for running, help, completion and the manual."""
    settings: dict[str, Any] = {"help_option_names": []}
    return SlashGroup("", context_settings=settings, add_help_option=False)
