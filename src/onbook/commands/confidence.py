"""`/confidence`: how sure models were of their answers, as recorded."""

import asyncio

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import SessionName
from onbook.commands.session import recorded_session
from onbook.confidence.report import report_of
from onbook.confidence.report_text import described
from onbook.transcript.sessions import all_sessions
from onbook.workspace.root import sessions_path


@click.group(cls=Group, default="report")
def confidence() -> None:
    """Look at how sure models were of their answers."""


@confidence.command()
@click.argument("sessions", metavar="[SESSION...]", nargs=-1, type=SessionName())
@click.pass_obj
async def report(call: Call, sessions: tuple[str, ...]) -> None:
    """Show the scores of recorded steps by model and method: of all sessions, or of those named.

    BELOW is the share of steps that were below their threshold.
    """
    named = [await recorded_session(call.live, name) for name in sessions]
    folder = sessions_path(call.live.root)
    found = await asyncio.to_thread(lambda: report_of(named if sessions else all_sessions(folder)))
    if found:
        call.say(described(found))
    else:
        call.note("no step that says how sure it is has been recorded yet")
