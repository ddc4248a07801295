"""`/run COMMAND…` and `!COMMAND`: a program of the person's choice, seen by the model too."""

import click

from onbook.commands.call import Call
from onbook.commands.program import run_shown
from onbook.outcome import Outcome
from onbook.policy.effects import Run

_SHELL_ONLY = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1", "<<"})


@click.command(context_settings={"allow_interspersed_args": False})
@click.option("--shell", is_flag=True, help="Hand the words to /bin/sh as one line, for pipes and globs.")
@click.option(
    "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Stop it after so long."
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_obj
async def run(call: Call, command: tuple[str, ...], *, shell: bool, timeout: float | None) -> Outcome:  # noqa: ASYNC109
    """Run a program in the workspace and show its output to the model.

    !COMMAND is short for it. There is no shell, no terminal and no input for the program; Ctrl-C stops it and all it
    started. Typing it is consent: safe mode is for what models run.

    \b
    Examples:
      /run make test
      !git commit -m "Fix the door"
      /run --shell 'ls *.md | wc -l'
    """
    effect = Run((" ".join(command),) if shell else command, shell=shell)
    outcome = await run_shown(call, effect, timeout=timeout)
    if outcome is not Outcome.PASSED and not shell and (found := _SHELL_ONLY.intersection(command)):
        call.note(f"{min(found)} was an argument like any other: /run --shell 'LINE' uses a shell")
    return outcome
