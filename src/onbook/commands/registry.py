"""The table of slash commands, from which help, completion and the manual's pages are made."""

from collections.abc import Sequence
from importlib import import_module
from typing import Literal

import click
import msgspec

from onbook.config.errors import did_you_mean


class Entry(msgspec.Struct, frozen=True):
    """A command as the table knows it, without importing it."""

    about: Literal["session", "models", "files", "programs", "knowledge", "safety"]
    """Under which head help lists it."""
    where: str
    """`module:attribute` of a click command whose callback is async and takes the `Call` first."""
    summary: str
    recorded: bool = False
    """Whether the transcript keeps its runs: yes for what changes something or reaches a model."""
    looks: tuple[str, ...] = ()
    """The first words with which a run of it only looks, and is not kept; the empty one stands for no word at all."""
    aliases: tuple[str, ...] = ()


_LOOKS = ("", "list", "show", "search", "status")

COMMANDS = {
    "attach": Entry(
        "files", "onbook.commands.attach:attach", "Send a picture or a text file with the next message.", True
    ),
    "audit": Entry("safety", "onbook.commands.audit:audit", "Show or verify the log of every effect."),
    "clear": Entry("session", "onbook.commands.clear:clear", "Forget the conversation so far.", True),
    "compact": Entry("session", "onbook.commands.compact:compact", "Summarise the conversation into less.", True),
    "confidence": Entry(
        "models", "onbook.commands.confidence:confidence", "Show how sure models were of their answers."
    ),
    "context": Entry("session", "onbook.commands.context:context", "Show what the model is told, and what it costs."),
    "diff": Entry("files", "onbook.commands.diff:diff", "Show what the last turn changed."),
    "exit": Entry("session", "onbook.commands.exit:exit_", "Leave the session.", aliases=("quit", "bye")),
    "files": Entry("files", "onbook.commands.files:files", "List the files of the workspace."),
    "git": Entry("programs", "onbook.commands.git:git", "Show git's view of the workspace to you and the model.", True),
    "help": Entry("session", "onbook.commands.help:help_", "Show what can be typed here."),
    "loglevel": Entry("session", "onbook.commands.loglevel:loglevel", "Say more or less beside the answers."),
    "loop": Entry("programs", "onbook.commands.loop:loop", "Repeat a prompt, a command or a program at an interval."),
    "memory": Entry("knowledge", "onbook.commands.memory:memory", "Keep facts about this workspace.", True, _LOOKS),
    "model": Entry("models", "onbook.commands.model:model", "Show or change the model that answers.", True, _LOOKS),
    "permissions": Entry(
        "safety", "onbook.commands.permissions:permissions", "Show what models may do, folder by folder."
    ),
    "pipeline": Entry(
        "models", "onbook.commands.pipeline:pipeline", "Send Markdown files as prompts while the model is sure enough."
    ),
    "rag": Entry("knowledge", "onbook.commands.rag:rag", "Index files and find passages in them.", True, _LOOKS),
    "read": Entry("files", "onbook.commands.read:read", "Show files to the model.", True),
    "read-dir": Entry("files", "onbook.commands.read_dir:read_dir", "Show the files of a folder to the model.", True),
    "record": Entry("session", "onbook.commands.record:record", "Show, pause or resume the recording."),
    "role": Entry("models", "onbook.commands.role:role", "Show or change the role the model plays.", True, _LOOKS),
    "route": Entry("models", "onbook.commands.route:route", "List the named ways to models."),
    "run": Entry("programs", "onbook.commands.run:run", "Run a program and show its output to the model.", True),
    "runs": Entry(
        "programs", "onbook.commands.runs:runs", "List, show or resume recorded runs of pipelines.", True, _LOOKS
    ),
    "safemode": Entry(
        "safety", "onbook.commands.safemode:safemode", "Show or switch the list of harmless programs.", True, _LOOKS
    ),
    "script": Entry(
        "programs", "onbook.commands.script:script", "List, show and run pipelines of scripts.", True, _LOOKS
    ),
    "search": Entry("files", "onbook.commands.search:search", "Find a pattern in the files of the workspace.", True),
    "session": Entry("session", "onbook.commands.session:session", "List, show, continue or replay recorded sessions."),
    "skill": Entry("knowledge", "onbook.commands.skill:skill", "List, show, load or make skills.", True, _LOOKS),
    "status": Entry("session", "onbook.commands.status:status", "Show the state of this session."),
    "undo": Entry("files", "onbook.commands.undo:undo", "Take back what the last turn changed.", True),
    "workflow": Entry(
        "programs",
        "onbook.commands.workflow:workflow",
        "Plan, generate, verify, evaluate a task.",
    ),
    "write": Entry("files", "onbook.commands.write:write", "Write the last reply, or its code, to a file.", True),
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
        if found is None and not ctx.resilient_parsing:
            hint = did_you_mean(f"/{name}", [f"/{each}" for each in (*COMMANDS, *ALIASES)])
            raise click.UsageError(f"/{name} is not a command{hint or '; /help lists them'}")
        return f"/{name}", found, args[1:]


def command(name: str) -> click.Command | None:
    """The command of that name or alias; None when there is none."""
    entry = COMMANDS.get(ALIASES.get(name, name))
    if entry is None:
        return None
    module, _, attribute = entry.where.partition(":")
    found: click.Command = getattr(import_module(module), attribute)
    return found


def is_recorded(name: str, arguments: Sequence[str]) -> bool:
    """Whether the transcript keeps a run of the command with these arguments."""
    entry = COMMANDS.get(ALIASES.get(name, name))
    return entry is not None and entry.recorded and (arguments[0] if arguments else "") not in entry.looks


def slash_commands() -> click.Group:
    """The group itself, for running, help, completion and the manual."""
    # click's own help option would print; the dispatcher sees an unknown `--help` and shows the help as an event.
    return SlashGroup("", context_settings={"help_option_names": []}, add_help_option=False)
