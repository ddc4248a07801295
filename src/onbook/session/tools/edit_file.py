"""`edit_file`: one place of a file, known by its exact text."""

import asyncio
from typing import Annotated

import msgspec

from onbook.policy.door import Door
from onbook.session.tools.text import check_text
from onbook.session.tools.tool import Tool, ToolFailed, typed_tool

MOST_BYTES = 8 << 20
_MOST_PLACES = 5
_ENOUGH = 100


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace.")]
    old: Annotated[str, msgspec.Meta(description="The text to replace, exactly as it stands; it must occur once.")]
    new: Annotated[str, msgspec.Meta(description="The text to put in its place; empty to take it out.")]


def edit_file(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> str:
        data = await door.read(given.path, by="model", limit=MOST_BYTES + 1)
        check_text(data, given.path)
        if len(data) > MOST_BYTES:
            raise ToolFailed(f"{given.path} is larger than {MOST_BYTES >> 20} MiB: too large to edit")
        text = data.decode("utf-8", "surrogateescape")  # whatever else is in the file stays as it is
        edited, first, last = await asyncio.to_thread(replaced, given.path, text, given.old, given.new)
        await door.write(given.path, edited.encode("utf-8", "surrogateescape"), by="model")
        return f"edited {given.path} ({_lines(first, last)})"

    return typed_tool(
        "edit_file",
        "Replace one piece of text in a file of the workspace. `old` must be copied exactly, spaces included, and long "
        "enough to occur only once.",
        Arguments,
        work,
    )


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, int, int]:
    """The new text, and the first and last line of what was put in."""
    if not old:
        raise ToolFailed("old is empty: give the text to replace, or use write_file for a whole file")
    if old == new:
        raise ToolFailed("old and new are the same: nothing to do")
    if "\r\n" in text and "\r" not in old:  # the model was shown plain line ends
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    places = _places(text, old)
    if not places:
        raise ToolFailed(f"old is not in {path}{_nearly(text, old)}")
    if len(places) > 1:
        where = ", ".join(str(_line_of(text, place)) for place in places[:_MOST_PLACES])
        more = ", …" if len(places) > _MOST_PLACES else ""
        often = f"{len(places)}" if len(places) < _ENOUGH else f"at least {_ENOUGH}"
        raise ToolFailed(
            f"old is {often} times in {path} (lines {where}{more}): add lines around it until it is unique"
        )
    (place,) = places
    first = _line_of(text, place)
    last = first + new.removesuffix("\n").count("\n")
    return text[:place] + new + text[place + len(old) :], first, last


def _places(text: str, old: str) -> list[int]:
    """Where it begins, as often as anybody wants to know; also where it overlaps itself: then too it is not clear which
    one is meant."""
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and len(found) < _ENOUGH:
        found.append(at)
        at = text.find(old, at + 1)
    return found


def _nearly(text: str, old: str) -> str:
    """A hint for the usual mistake."""
    have = _stripped(text)
    place = have.find(_stripped(old.strip()))
    if place < 0:
        return "; read_file shows what is there"
    return f": line {_line_of(have, place)} differs from it only in its spaces; copy it exactly"


def _stripped(text: str) -> str:
    """The lines without the spaces around them, each between two newlines."""
    return "\n" + "".join(f"{line.strip()}\n" for line in text.splitlines())


def _line_of(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"
