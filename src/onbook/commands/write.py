"""`/write PATH`: the last reply, or a block of its code, as a file."""

import click

from onbook.commands.call import Call
from onbook.commands.params import WorkspacePath
from onbook.outcome import UsageError
from onbook.policy.door import Denied
from onbook.policy.paths import Missing
from onbook.session.file_blocks import fenced_blocks
from onbook.session.live import Live
from onbook.words import counted


@click.command()
@click.argument("path", type=WorkspacePath())
@click.option("--code", is_flag=True, help="Only the code of the reply.")
@click.option("--block", type=click.IntRange(min=1), metavar="N", help="Only the Nth block of code, counted from 1.")
@click.pass_obj
async def write(call: Call, path: str, *, code: bool, block: int | None) -> None:
    """Write the last reply, or its code, to a file. A file that is there is replaced; /undo brings it back.

    \b
    Examples:
      /write notes/answer.md
      /write src/app.py --code
      /write src/app.py --block 2
    """
    text = _reply(call.live)
    if code or block is not None:
        text = _block(text, block)
    elif not text.endswith("\n"):
        text += "\n"
    call.live.door.begin_turn()  # so that /undo takes back this file alone
    earlier = await _size(call.live, path)
    data = text.encode()
    await call.live.door.write(path, data, by="user")
    instead = "" if earlier is None else f", in place of {earlier:,} bytes"
    call.say(f"wrote {path}: {counted(text.count(chr(10)), 'line')}, {len(data):,} bytes{instead}; /undo takes it back")


def _reply(live: Live) -> str:
    for message in reversed(live.chat.conversation.history):
        if message.role == "assistant" and message.text.strip():
            return message.text
    raise UsageError("there is no reply yet that could be written")


def _block(reply: str, number: int | None) -> str:
    blocks = [text for _, text in fenced_blocks(reply)]
    if not blocks:
        raise UsageError("the last reply has no block of code; without --code the whole reply is written")
    if number is None and len(blocks) > 1:
        raise UsageError(f"the last reply has {len(blocks)} blocks of code; name one with --block 1 to {len(blocks)}")
    if (number or 1) > len(blocks):
        raise UsageError(f"the last reply has only {counted(len(blocks), 'block')} of code")
    return blocks[(number or 1) - 1]


async def _size(live: Live, path: str) -> int | None:
    """How large the file is that will be replaced; None where there is none."""
    try:
        return len(await live.door.read(path, by="user"))
    except Denied as denied:
        if isinstance(denied.problem, Missing):
            return None
        raise
