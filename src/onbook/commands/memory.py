"""`/memory`: facts that every session of this workspace begins with."""

import asyncio
import getpass

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.session.memory.opening import tell, unreadable
from onbook.session.memory.store import Fact


@click.group(cls=Group, default="list")
def memory() -> None:
    """Keep facts about this workspace.

    They are shown to you and to the model when a session begins, with who wrote them and when. They lie in
    `.onbook/memory.jsonl`, one a line. What looks like a key is not kept.
    """


@memory.command()
@click.argument("text", nargs=-1, required=True)
@click.pass_obj
async def add(call: Call, text: tuple[str, ...]) -> None:
    """Remember a fact, as in: /memory add tests run with make check"""
    live = call.live
    session = live.record.path.stem if live.record.path else ""
    fact = await asyncio.to_thread(live.memory.add, " ".join(text), by=_user(call), session=session)
    call.say(str(fact))
    await _tell_model(call)


@memory.command(name="list")
@click.pass_obj
async def list_(call: Call) -> None:
    """Show every fact, with where it came from."""
    known = await asyncio.to_thread(call.live.memory.load)
    _show(call, known.facts, "nothing is remembered yet; /memory add TEXT")
    if known.damaged:
        call.note(unreadable(known, call.live.memory), "warning")


@memory.command()
@click.argument("words", nargs=-1, required=True)
@click.pass_obj
async def search(call: Call, words: tuple[str, ...]) -> None:
    """Show the facts in which all the words occur."""
    found = await asyncio.to_thread(call.live.memory.search, words)
    _show(call, found, f"nothing is remembered about {' '.join(words)}")


@memory.command()
@click.argument("number", type=click.IntRange(min=1))
@click.pass_obj
async def forget(call: Call, number: int) -> None:
    """Forget a fact by its number."""
    fact = await asyncio.to_thread(call.live.memory.forget, number)
    call.say(f"forgot {fact}")
    await _tell_model(call)


def _show(call: Call, facts: tuple[Fact, ...], otherwise: str) -> None:
    for fact in facts:
        call.say(str(fact))
    if not facts:
        call.note(otherwise)


async def _tell_model(call: Call) -> None:
    """The model's copy follows at once: a fact that was forgotten must not go out with the next message."""
    known = await asyncio.to_thread(call.live.memory.load)
    tell(known.facts, call.live.chat.conversation)


def _user(call: Call) -> str:
    for name in ("LOGNAME", "USER"):
        if found := call.live.environ.get(name):
            return found
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this user id, as in many containers
        return ""
