"""`/read-dir DIR`: a folder for the model to read, its tree and as many of its texts as there is room for."""

from collections import Counter

import click

from onbook.commands.call import Call
from onbook.commands.files import entry_line
from onbook.commands.params import WorkspacePath
from onbook.policy.door import Denied, Door
from onbook.policy.hands import Entry
from onbook.session.pending import Piece
from onbook.session.reading import text_of
from onbook.words import counted

MOST_BYTES = 200_000
"""All texts together."""
MOST_IN_ONE = 60_000
"""One text: a data file must not take the room of twenty others."""


@click.command("read-dir")
@click.argument("folder", default=".", metavar="DIR", type=WorkspacePath(only_folders=True))
@click.option(
    "--depth", type=click.IntRange(1, 50), metavar="N", default=3, show_default=True, help="So many folders deep."
)
@click.pass_obj
async def read_dir(call: Call, folder: str, *, depth: int) -> None:
    """Show the files of a folder to the model: the tree, and the texts in it while there is room.

    Hidden, ignored, binary and very large files are left out, and so is what looks like keys; it is said how many.

    \b
    Examples:
      /read-dir src
      /read-dir --depth 1 docs
    """
    door = call.live.door
    found = await door.entries(folder, by="user", depth=depth)
    shown = [entry for entry in found if not (entry.hidden or entry.ignored)]
    tree = "\n".join(entry_line(entry) for entry in shown)
    texts, left_out = await _texts(door, shown)
    left_out["hidden or ignored"] = len(found) - len(shown)
    call.say(tree or f"{folder} is empty")
    size = sum(len(piece.text.encode()) for piece in texts)
    told = f"the tree and {counted(len(texts), 'file')} ({size:,} bytes) go with the next message"
    call.show_model(Piece(f"the files of {folder}", tree), *texts, told=told)
    if said := [f"{count} {why}" for why, count in left_out.items() if count]:
        call.note(f"left out: {', '.join(said)}")


async def _texts(door: Door, entries: list[Entry]) -> tuple[list[Piece], Counter[str]]:
    """The texts there is room for, and how many files were left out for which reason."""
    pieces: list[Piece] = []
    left_out: Counter[str] = Counter()
    room = MOST_BYTES
    for entry in entries:
        if entry.kind != "file":
            continue
        why, text = await _text(door, entry, room)
        if why:
            left_out[why] += 1
        else:
            room -= entry.size
            pieces.append(Piece(entry.path, text))
    return pieces, left_out


async def _text(door: Door, entry: Entry, room: int) -> tuple[str, str]:
    """Why the file is left out, or its text."""
    if entry.secret:
        return "that may hold keys", ""
    if entry.size > MOST_IN_ONE:
        return f"larger than {MOST_IN_ONE:,} bytes", ""
    if entry.size > room:
        return "beyond the room there is", ""
    try:
        text = text_of(await door.read(f"./{entry.path}", by="user", limit=MOST_IN_ONE))
    except Denied:
        return "that cannot be read", ""
    return ("binary", "") if text is None else ("", text)
