"""`onbook sessions`, `show` and `replay`: what was recorded, to read and to ask again."""

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import msgspec

from onbook.cli import options
from onbook.cli.production import open_production
from onbook.cli.running import run_to_outcome
from onbook.cli.stage import Stage, open_stage
from onbook.cli.table import echo_table
from onbook.events import Note
from onbook.models.errors import ModelNotFound, Refused, Unreachable
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt, is_picture
from onbook.session.conversation import asked
from onbook.terminal.screen import fit_for, printable, write, write_aside
from onbook.terminal.view import JsonView, TextView
from onbook.transcript.history import Session, load
from onbook.transcript.names import stage_name
from onbook.transcript.sessions import find_session, list_sessions
from onbook.transcript.turns import Turn
from onbook.workspace.root import sessions_path

_HOPELESS = (Unreachable, Refused, ModelNotFound)
"""After these the next question would fare no better."""


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
    echo_table(("SESSION", "DATE (UTC)", "TURNS", "MODEL", "BEGINS"), rows)


@click.command()
@options.session_argument
@click.option("--json", "as_json", is_flag=True, help="Print the turns, one JSON object a line.")
@options.workspace
def show(session: str, workspace: Path | None, *, as_json: bool) -> None:
    """Print a recorded session: the latest, the one named, or a transcript file (also one of Harvey's)."""
    recorded = _load(open_stage(workspace), session)
    for turn in recorded.turns:
        if as_json:
            click.echo(msgspec.json.encode(turn))
        else:
            write(sys.stdout, fit_for(sys.stdout, _readable(turn, recorded)) + "\n")
    if recorded.torn:
        click.echo("onbook: the last turn was cut off while it was written; it is left out", err=True)


@click.command()
@options.session_argument
@options.model
@options.system
@click.option("--json", "as_json", is_flag=True, help="Print events, one JSON object a line.")
@options.no_record
@options.workspace
@click.pass_context
def replay(
    ctx: click.Context,
    session: str,
    model: str | None,
    system: str | None,
    workspace: Path | None,
    *,
    as_json: bool,
    no_record: bool,
) -> None:
    """Ask a session's questions again, in order, and record the new answers as a session of their own."""
    stage = open_stage(workspace)
    recorded = _load(stage, session)
    view = JsonView() if as_json else TextView()
    outcome = run_to_outcome(_replay(stage, recorded.turns, view, model, system, record=not no_record))
    ctx.exit(outcome.exit_code)


async def _replay(
    stage: Stage,
    turns: Sequence[Turn],
    view: JsonView | TextView,
    model: str | None,
    system: str | None,
    *,
    record: bool,
) -> Outcome:
    async with open_production(stage, view, model=model, system=system, record=record) as production:
        chat = production.chat
        again = [turn for turn in turns if turn.outcome == Outcome.PASSED.value]
        for line in _not_replayed(len(turns) - len(again), again):
            chat.emit(Note(run="", time=time.time(), text=line, level="warning"))
        outcome = Outcome.PASSED
        for turn in again:
            if isinstance(view, TextView):
                write_aside(printable(f"\n> {asked(turn)}\n"))
            ended = await chat.turn(Prompt(asked(turn)))
            if outcome is Outcome.PASSED:
                outcome = ended.outcome
            if isinstance(ended.error, _HOPELESS):
                break
    return production.verdict(outcome)


def _not_replayed(skipped: int, again: Sequence[Turn]) -> Iterator[str]:
    """A line on each thing that will not be asked again as it was."""
    if skipped:
        turns = "1 turn that was" if skipped == 1 else f"{skipped} turns that were"
        yield f"skipped {turns} cancelled or failed"
    pictures = [name for turn in again for name in turn.attachments if is_picture(name)]
    if pictures:
        yield f"asked without what was attached, for a record holds no pictures: {', '.join(pictures)}"


def _load(stage: Stage, session: str) -> Session:
    return load(find_session(sessions_path(stage.root), session))


def _readable(turn: Turn, session: Session) -> str:
    """A turn as a person wants to read it: who said what, and how it ended where that was not well."""
    author = dict(session.title_page).get("Author", "USER")
    ending = f"\n({turn.outcome.replace('_', ' ')}{f': {turn.error}' if turn.error else ''})"
    lines = [
        f"{turn.time} · {turn.model}",
        *(f"[attached: {name}]" for name in turn.attachments),
        f"\n{author}\n{turn.user}",
        *([f"\n{stage_name(turn.speaker)}\n{turn.reply}"] if turn.reply else []),
        *([ending] if turn.outcome != Outcome.PASSED.value else []),
    ]
    return "\n".join(lines) + "\n"
