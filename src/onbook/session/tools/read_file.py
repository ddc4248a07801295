"""`read_file`: the lines of a file, as they are, so that `edit_file` can be given them back."""

import asyncio
from typing import Annotated

import msgspec

from onbook.policy.door import Door
from onbook.session.tools.text import MOST_CHARACTERS, check_text, readable, short_line
from onbook.session.tools.tool import Tool, ToolFailed, typed_tool

MOST_LINES = 500
MOST_BYTES = 2 << 20


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace.")]
    start: Annotated[int, msgspec.Meta(description="The first line wanted, counted from 1.", ge=1)] = 1
    end: Annotated[int, msgspec.Meta(description="The last line wanted; 0 for as many as fit.", ge=0)] = 0


def read_file(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> str:
        data = await door.read(given.path, by="model", limit=MOST_BYTES + 1)
        check_text(data, given.path)
        return await asyncio.to_thread(shown_lines, given.path, data, given.start, given.end)

    return typed_tool(
        "read_file",
        f"Read a text file of the workspace, {MOST_LINES} lines at a time at most. "
        "Lines come without numbers, exactly as edit_file wants them.",
        Arguments,
        work,
        reads_only=True,
    )


def shown_lines(path: str, data: bytes, start: int, end: int) -> str:
    """The wanted lines, as many as fit, and a last line in brackets for what is not shown."""
    lines = readable(data[:MOST_BYTES]).removesuffix("\n").split("\n")
    whole = len(data) <= MOST_BYTES
    if not data:
        return f"[{path} is empty]"
    if start > len(lines):
        raise ToolFailed(f"{path} has {_of(len(lines), whole=whole)} lines; there is no line {start}")
    if end and end < start:
        raise ToolFailed(f"end={end} comes before start={start}")
    wanted = lines[start - 1 : min(end or len(lines), start - 1 + MOST_LINES)]
    kept = _fitting([short_line(line) for line in wanted])
    last = start - 1 + len(kept)
    if start == 1 and last == len(lines) and whole:
        return "\n".join(kept)
    more = f"; ask for start={last + 1}" if last < len(lines) and (not end or last < end) else ""
    return "\n".join([*kept, f"[lines {start}-{last} of {_of(len(lines), whole=whole)}{more}]"])


def _fitting(lines: list[str]) -> list[str]:
    room = MOST_CHARACTERS
    for place, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0 and place:
            return lines[:place]
    return lines


def _of(lines: int, *, whole: bool) -> str:
    return str(lines) if whole else f"more than {lines} (only the first {MOST_BYTES >> 20} MiB can be read)"
