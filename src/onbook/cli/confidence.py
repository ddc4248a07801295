"""`onbook confidence`: how sure models were of their answers, as recorded."""

import sys
from pathlib import Path

import click
import msgspec

from onbook.cli import options
from onbook.cli.stage import open_stage
from onbook.confidence.report import report_of
from onbook.terminal.screen import fit_for, write
from onbook.transcript.history import load
from onbook.transcript.sessions import all_sessions, find_session
from onbook.workspace.root import sessions_path


@click.group()
def confidence() -> None:
    """Look at how sure models were of their answers."""


@confidence.command()
@click.argument("sessions", metavar="[SESSION]…", nargs=-1, shell_complete=options.complete_sessions)
@options.as_json
@options.workspace
def report(sessions: tuple[str, ...], workspace: Path | None, *, as_json: bool) -> None:
    """Print the scores of recorded steps by model and method: of all sessions, or of those named.

    BELOW is the share of steps that were below their threshold. Steps that a resumed run took from the journal are
    counted where they were asked.
    """
    folder = sessions_path(open_stage(workspace).root)
    named = [load(find_session(folder, name)) for name in sessions]
    found = report_of(named if sessions else all_sessions(folder))
    if as_json:
        for each in found:
            click.echo(msgspec.json.encode(each))
    elif found:
        from onbook.confidence.report_text import described

        write(sys.stdout, fit_for(sys.stdout, described(found)))
    else:
        click.echo("onbook: no step that says how sure it is has been recorded yet", err=True)
