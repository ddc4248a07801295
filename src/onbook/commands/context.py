"""`/context`: everything the model will be told with the next message, and how much that is."""

from collections.abc import Iterator

import click

from onbook.commands.call import Call
from onbook.commands.group import Group
from onbook.commands.params import PieceNumber
from onbook.models.messages import Message
from onbook.models.tokens import estimate_prompt, estimate_tokens
from onbook.outcome import UsageError
from onbook.session.context import estimate_tools
from onbook.session.live import Live


@click.group(cls=Group, default="show")
def context() -> None:
    """Show what the model is told, and what it costs; drop what need not go along."""


@context.command()
@click.pass_obj
async def show(call: Call) -> None:
    """List instruction, sections, history, what waits and the tools, with estimated tokens."""
    for name, tokens, words in _rows(call.live):
        call.say(f"{name:<14} {tokens:>7}  {words}".rstrip())
    total = told_tokens(call.live)
    call.say(f"{'together':<14} {total:>7}  estimated tokens, {await share(call.live, total)}")


@context.command()
@click.argument("number", type=PieceNumber(), metavar="N")
@click.pass_obj
async def drop(call: Call, number: int) -> None:
    """Take the waiting piece N out of the next message."""
    pieces = call.live.pending.pieces
    if number > len(pieces):
        raise UsageError(f"nothing waits under {number}; /context numbers what does")
    call.live.pending.drop(pieces[number - 1 : number])
    call.say(f"{pieces[number - 1].name} will not go along")


def told_tokens(live: Live) -> int:
    """About how many tokens the next message takes along, before a word of it is written."""
    return sum(tokens for _, tokens, _ in _rows(live))


async def share(live: Live, tokens: int) -> str:
    """So much of the window, as far as it is known."""
    window = await live.choice.window(live.choice.chosen) if live.choice.chosen else None
    return f"{tokens / window:.0%} of {window}" if window else "of an unknown window"


def _rows(live: Live) -> Iterator[tuple[str, int, str]]:
    conversation = live.chat.conversation
    if instruction := conversation.instruction:
        yield "instruction", estimate_tokens(instruction.text), instruction.source
    for title, text in conversation.sections.items():
        yield "section", estimate_tokens(text), title
    for message in conversation.history:
        yield message.role, estimate_prompt([message]), _beginning(message)
    for number, piece in enumerate(live.pending.pieces, 1):
        message = Message("user", piece.text, (piece.image,) if piece.image else ())
        yield f"waiting {number}", estimate_prompt([message]), piece.name
    if tools := live.chat.offered(live.choice.chosen):
        yield "tools", estimate_tools(tools), ", ".join(tool.name for tool in tools)


def _beginning(message: Message) -> str:
    words = message.text or ", ".join(f"{call.name}({call.arguments})" for call in message.tool_calls)
    line = " ".join(words[:200].split())
    return line if len(line) <= 70 else f"{line[:69]}…"
