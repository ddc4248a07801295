"""`/status`: the session on one screen."""

from collections.abc import Iterator

import click

from onbook.commands.call import Call
from onbook.commands.context import share, told_tokens
from onbook.commands.model import described as model_line
from onbook.commands.record import described as record_line
from onbook.outcome import OnbookError
from onbook.policy.sandbox import sandbox_state
from onbook.session.live import Live
from onbook.words import counted


@click.command()
@click.pass_obj
async def status(call: Call) -> None:
    """Show the state of this session: model, context, what was spent, what is recorded, what models may do."""
    live = call.live
    rows = [("model", _model(live)), ("context", await _context(live)), *_rest(live)]
    for name, words in rows:
        call.say(f"{name:<10} {words}")


def _model(live: Live) -> str:
    """Without choosing one: looking at the state changes nothing."""
    return model_line(live.choice.chosen) if live.choice.chosen else "none chosen yet"


async def _context(live: Live) -> str:
    tokens, turns = told_tokens(live), counted(len(live.chat.conversation.turns), "turn")
    return f"~{tokens} tokens, {await share(live, tokens)}, in {turns}"


def _rest(live: Live) -> Iterator[tuple[str, str]]:
    waiting = ", ".join(piece.name for piece in live.pending.pieces)
    yield "waiting", waiting or "nothing"
    yield "spent", "; ".join(live.ledger.lines()) or "nothing"
    if limits := live.ledger.standing():
        yield "budget", ", ".join(limits)
    yield "role", live.part.role.name if live.part.role else "none"
    yield "record", record_line(live)
    yield "workspace", str(live.root)
    rules = live.door.rules
    sandbox = sandbox_state(rules.sandbox)
    yield "safe mode", "on" if rules.safe_mode else "off"
    yield "sandbox", sandbox.detail if sandbox.active else f"none: {sandbox.detail}"
    yield "tools", ", ".join(tool.name for tool in live.chat.offered(live.choice.chosen)) or "none"
    yield from (("mcp", line) for line in live.mcp.status())
    yield "skills", ", ".join(live.skills.loaded) or f"none loaded of {len(live.skills.names)}"
    yield "memory", _memory(live)
    yield "log level", live.log.level


def _memory(live: Live) -> str:
    try:
        return f"{len(live.memory.load().facts)} kept"
    except OnbookError as error:  # the rest of the screen is still worth seeing
        return str(error)
