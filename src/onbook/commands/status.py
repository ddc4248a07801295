"""`/status`: the session on one screen."""

from collections.abc import Iterator

import click

from onbook.commands.call import Call
from onbook.commands.model import described as model_line
from onbook.commands.record import described as record_line
from onbook.models.tokens import estimate_prompt
from onbook.outcome import OnbookError
from onbook.policy.sandbox import sandbox_state
from onbook.session.attachments import Prompt
from onbook.session.live import Live


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
    conversation = live.chat.conversation
    tokens = estimate_prompt(conversation.messages_for(Prompt("")))
    window = await live.choice.window(live.choice.chosen) if live.choice.chosen else None
    share = f"{tokens / window:.0%} of {window} tokens" if window else f"~{tokens} tokens of an unknown window"
    turns = len(conversation.turns)
    return f"{share} in {turns} turn{'' if turns == 1 else 's'}"


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
    yield "tools", ", ".join(tool.spec.name for tool in live.toolbox.offered) or "none"
    yield from (("mcp", line) for line in live.mcp.status())
    yield "skills", ", ".join(live.skills.loaded) or f"none loaded of {len(live.skills.names)}"
    yield "memory", _memory(live)
    yield "log level", live.log.level


def _memory(live: Live) -> str:
    try:
        return f"{len(live.memory.load().facts)} kept"
    except OnbookError as error:  # the rest of the screen is still worth seeing
        return str(error)
