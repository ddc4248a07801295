"""`onbook sessions`, `show` and `replay`: what was recorded, to read and to ask again."""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from onbook.cli import options
from onbook.cli.production import open_production
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage, open_stage
from onbook.cli.table import echo_table
from onbook.outcome import Outcome
from onbook.session.replaying import replay as ask_again
from onbook.session.replaying import to_ask_again
from onbook.terminal.json_view import JsonView
from onbook.terminal.screen import fit_for, printable, write, write_aside
from onbook.terminal.view import TextView
from onbook.transcript.history import Session, load
from onbook.transcript.reading import readable, with_steps
from onbook.transcript.sessions import find_session, list_sessions
from onbook.transcript.turns import Turn
from onbook.workspace.root import sessions_path


@click.command()
@options.as_json
@options.workspace
def sessions(workspace: Path | None, *, as_json: bool) -> None:
    """List the recorded sessions of this workspace, newest first."""
    found = list_sessions(sessions_path(open_stage(workspace).root))
    if as_json:
        for each in found:
            click.echo(msgspec.json.encode(each, enc_hook=str))
        return
    if not found:
        click.echo("onbook: no sessions are recorded here yet", err=True)
        return
    rows = [(each.id, each.date, str(each.turns), each.model, each.first) for each in found]
    echo_table(("SESSION", "DATE (UTC)", "TURNS", "MODEL", "BEGINS"), rows, {"DATE (UTC)": 11, "MODEL": 8})


@click.command()
@options.session_argument
@click.option("--json", "as_json", is_flag=True, help="Print the turns, one JSON object a line.")
@options.workspace
def show(session: str, workspace: Path | None, *, as_json: bool) -> None:
    """Print a recorded session: the latest, the one named, or a transcript file (also one of Harvey's)."""
    recorded = _load(open_stage(workspace), session)
    if as_json:
        for turn, steps in with_steps(recorded):
            click.echo(msgspec.json.encode({**msgspec.to_builtins(turn), "steps": steps} if steps else turn))
    else:
        for text in readable(recorded):
            write(sys.stdout, fit_for(sys.stdout, text) + "\n")
    if recorded.torn:
        click.echo("onbook: the last turn was cut off while it was written; it is left out", err=True)


@click.command()
@options.session_argument
@options.model
@options.system
@options.budget
@options.allow
@options.as_events
@options.no_record
@options.workspace
@click.pass_context
def replay(
    ctx: click.Context, /, session: str, workspace: Path | None, *, as_json: bool, no_record: bool, **given: Any
) -> None:
    """Ask a session's questions again, in order, and record the new answers as a session of their own."""
    stage = open_stage(workspace)
    recorded = _load(stage, session)
    to_ask_again(recorded.turns)  # where there is nothing, no model is looked for
    view = JsonView() if as_json else TextView()
    outcome = run_to_outcome(_replay(stage, recorded.turns, view, given | {"record": not no_record}))
    ctx.exit(outcome.exit_code)


async def _replay(stage: Stage, turns: Sequence[Turn], view: JsonView | TextView, given: Mapping[str, Any]) -> Outcome:
    """`given` are the options of `open_production`."""
    async with open_production(stage, view, **given) as production:

        def show(question: str) -> None:
            if isinstance(view, TextView):
                write_aside(printable(f"\n> {question}\n"))

        warn = partial(production.live.note, level="warning")
        outcome = await ask_again(production.live, turns, show, warn)
    return production.verdict(outcome)


def _load(stage: Stage, session: str) -> Session:
    return load(find_session(sessions_path(stage.root), session))
