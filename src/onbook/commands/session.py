"""`/session`: what was recorded, to read, to go on with and to ask again."""

import asyncio
from functools import partial

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import SessionName
from onbook.outcome import Outcome
from onbook.policy.effects import Read
from onbook.session.attachments import Prompt
from onbook.session.conversation import spoken
from onbook.session.live import Live
from onbook.session.replaying import replay as ask_again
from onbook.transcript.history import Session, load
from onbook.transcript.reading import readable
from onbook.transcript.sessions import find_session, list_sessions
from onbook.words import counted
from onbook.workspace.root import sessions_path

_session = click.argument("session", metavar="[SESSION]", default="latest", type=SessionName())


@click.group(cls=Group, default="list")
def session() -> None:
    """List, show, continue or replay recorded sessions.

    SESSION is the latest, or a session's name, its beginning or its last letters, or a transcript file.
    """


@session.command("list")
@click.pass_obj
async def list_(call: Call) -> None:
    """List the recorded sessions of this workspace, newest first."""
    found = await asyncio.to_thread(list_sessions, sessions_path(call.live.root))
    if not found:
        call.note("no sessions are recorded here yet")
    for each in found:
        here = "*" if each.path == call.live.record.path else " "
        call.say(f"{here} {each.id}  {each.date}  {counted(each.turns, 'turn')}  {each.model}  {each.first}")


@session.command()
@_session
@click.pass_obj
async def show(call: Call, session: str) -> None:
    """Show a recorded session."""
    recorded = await recorded_session(call.live, session)
    for text in readable(recorded):
        call.say(text)


@session.command("continue")
@_session
@click.pass_obj
async def continue_(call: Call, session: str) -> None:
    """Go on with another session: its turns take the place of this conversation.

    What follows is recorded in that session's file, where onbook wrote it.
    """
    live = call.live
    recorded = await _other(live, session)
    if recorded.appendable:
        live.record.follow(recorded.path)
    turns = spoken(recorded.turns)
    live.chat.conversation.clear()
    for user, reply in turns:
        live.chat.conversation.add(Prompt(user), reply)
    if recorded.torn:
        call.note(f"{recorded.path.name} was cut off in the middle of a turn; that turn is left out", "warning")
    elsewhere = "" if recorded.appendable else "; it stays as it is, what follows is recorded here"
    call.say(f"continuing {recorded.path.stem} after {counted(len(turns), 'turn')}{elsewhere}")


@session.command()
@_session
@click.pass_obj
async def replay(call: Call, session: str) -> Outcome:
    """Ask a session's questions again, here and now, one after the other."""
    turns = (await _other(call.live, session)).turns
    warn = partial(call.note, level="warning")
    return await ask_again(call.live, turns, lambda text: call.note(f"> {text}"), warn)


async def _other(live: Live, session: str) -> Session:
    """The session that is meant; the latest is the latest but this one."""
    if session == "latest":
        found = await asyncio.to_thread(list_sessions, sessions_path(live.root))
        session = next((each.id for each in found if each.path != live.record.path), session)
    return await recorded_session(live, session)


async def recorded_session(live: Live, session: str) -> Session:
    """A session of this workspace, or a transcript that lies somewhere else, which is a file like any other."""
    path = await asyncio.to_thread(find_session, sessions_path(live.root), session)
    if not path.resolve().is_relative_to(sessions_path(live.root).resolve()):
        await live.door.request(Read(str(path)), by="user")
    return await asyncio.to_thread(load, path)
