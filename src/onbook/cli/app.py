"""The `onbook` command: its table of subcommands, and the one place where errors become lines and exit codes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from onbook import __version__
from onbook.cli import options
from onbook.cli.streams import prepare_streams, settle_streams
from onbook.outcome import OnbookError, Outcome
from onbook.terminal import reader

COMMANDS = {
    "ask": ("onbook.cli.ask:ask", "Ask one question; the answer goes to standard output."),
    "completion": ("onbook.cli.completion:completion", "Print the completion script for a shell."),
    "confidence": ("onbook.cli.confidence:confidence", "Look at how sure models were of their answers."),
    "config": ("onbook.cli.config:config", "Show or check the settings."),
    "doctor": ("onbook.cli.doctor:doctor", "Check this installation and say how to fix it."),
    "help": ("onbook.cli.help:help_", "Read the manual, a topic at a time."),
    "init": ("onbook.cli.init:init", "Write settings and scripts to begin with."),
    "loop": ("onbook.cli.loop:loop", "Repeat a prompt, a command or a program at an interval."),
    "model": ("onbook.cli.model:model", "List, fetch and inspect models."),
    "pipeline": ("onbook.cli.pipeline:pipeline", "Send Markdown files as prompts while the model is sure enough."),
    "replay": ("onbook.cli.sessions:replay", "Ask a session's questions again."),
    "route": ("onbook.cli.route:route", "Name the servers models live on."),
    "runs": ("onbook.cli.runs:runs", "Look at recorded runs, go on with one, forget old ones."),
    "script": ("onbook.cli.script:script", "List, show and run pipelines of scripts."),
    "sessions": ("onbook.cli.sessions:sessions", "List the recorded sessions of this workspace."),
    "show": ("onbook.cli.sessions:show", "Print a recorded session."),
    "trust": ("onbook.cli.trust:trust", "Let this workspace's onbook.toml name keys and other hosts."),
    "workflow": ("onbook.cli.workflow:workflow", "Plan, generate, verify, evaluate a task."),
}
"""Every subcommand with where it lives and its line in `--help`, so that help imports none of them."""


class LazyGroup(click.Group):
    """A group that imports a subcommand when it is used."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _told_of_readers():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _told_of_readers():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in sorted(COMMANDS.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from onbook.config.errors import did_you_mean

            hint = did_you_mean(args[0], COMMANDS)
            raise click.UsageError(f'no command "{args[0]}"{hint}', ctx)
        return super().resolve_command(ctx, args)


@contextmanager
def _told_of_readers() -> Iterator[None]:
    """A reader that left, before click makes of it an exit like any other."""
    try:
        yield
    except BrokenPipeError as error:
        reader.READER.has_left(error)
        raise click.exceptions.Exit(reader.EXIT_CODE) from None


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", message="onbook %(version)s")
@options.model
@options.role
@options.system
@click.option(
    "--continue",
    "session",
    type=options.FILLED,
    metavar="[SESSION]",
    is_flag=False,
    flag_value="latest",
    help="Go on with a recorded session: the latest, or the one named.",
    shell_complete=options.complete_sessions,
)
@options.budget
@options.allow
@options.trust
@options.no_record
@options.config
@options.workspace
@click.pass_context
def onbook(ctx: click.Context, /, workspace: Path | None, *, no_record: bool, **given: Any) -> None:
    """Keep AI models on book: talk to one, and have everything said recorded as a screenplay.

    Without a command, onbook starts a session: Enter sends, /help lists what can be typed, Ctrl-C stops what runs,
    Ctrl-D leaves. Piped lines are turns of one session.
    """
    if ctx.invoked_subcommand is None:
        from onbook.cli.conversation import converse

        ctx.exit(converse(workspace, given | {"record": not no_record}).exit_code)
    if any((workspace, no_record, *given.values())):
        raise click.UsageError(f"give options after the command: onbook {ctx.invoked_subcommand} --option", ctx)


def run() -> int:
    """Run the command line and return its exit code; whatever it did, it is that of SIGPIPE when its reader left."""
    prepare_streams()
    code = _run()
    settled = settle_streams()
    if reader.READER.left:
        return reader.EXIT_CODE
    return code if settled else code or Outcome.FAILED.exit_code


def _run() -> int:
    try:
        code = onbook.main(prog_name="onbook", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _misused(error)
    except (click.Abort, KeyboardInterrupt):
        return Outcome.CANCELLED.exit_code
    except OnbookError as error:
        _complain(str(error))
        return error.outcome.exit_code
    except Exception as error:
        if os.environ.get("ONBOOK_DEBUG"):
            raise
        return _broken(error)
    return code if isinstance(code, int) else 0


def _misused(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    else:
        _complain(_usage_line(error))
    return Outcome.USAGE.exit_code


def _broken(error: Exception) -> int:
    if isinstance(error, OSError):
        _complain(f"{error.filename or 'standard output'}: {error.strerror or error}")
    else:
        _complain(f"internal error: {type(error).__name__}: {error} (ONBOOK_DEBUG=1 shows where)")
    return Outcome.FAILED.exit_code


def _usage_line(error: click.ClickException) -> str:
    """What click has to say, in one line of our own form."""
    from onbook.commands.misuse import message_of

    message = message_of(error)
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"; see {context.command_path} --help" if context is not None and not message.endswith("?") else ""
    return message + hint


def _complain(line: str) -> None:
    from onbook.policy.secrets import redact
    from onbook.terminal.screen import say_aside

    said = " ".join(line.splitlines())  # what somebody typed may be part of it
    say_aside(f"onbook: {redact(said)}")
