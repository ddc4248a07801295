"""Files that a person shows to a model: read through the door, told apart, cut to size where they must be."""

import os
import re
from pathlib import Path

import msgspec

from onbook.config.errors import nearest
from onbook.models.messages import Image
from onbook.outcome import OnbookError, UsageError
from onbook.policy.door import Denied, Door
from onbook.policy.paths import IsFolder, Missing
from onbook.session.attachments import media_type
from onbook.session.pending import Piece
from onbook.words import counted

MOST_ATTACHED = 20 * 2**20
MOST_SHOWN = 200_000
"""Bytes of one file that `/read` shows: about fifty thousand tokens, more than most windows have left."""
_LINES = re.compile(r"(.+):(\d{1,9})(?:-(\d{1,9}))?")


class Shown(msgspec.Struct, frozen=True):
    """A file as the model will see it, and what a person should know about it."""

    piece: Piece
    summary: str
    """`notes.md: 12 lines`, with what is missing where something is."""


async def attach(door: Door, path: str, name: str = "") -> Piece:
    """A picture as it is, or a text, whole; under the last name of its path where no other is given."""
    try:
        data = await door.read(path, by="user", limit=MOST_ATTACHED + 1)
    except Denied as denied:
        raise UsageError(f"{path}: cannot attach: {_why(denied)}") from None
    if len(data) > MOST_ATTACHED:
        raise UsageError(f"{path}: cannot attach: larger than {MOST_ATTACHED >> 20} MiB")
    name = _label(name) if name else name_of(path)
    if kind := media_type(data):
        return Piece(name, image=Image(kind, data, name))
    text = text_of(data)
    if text is None:
        raise UsageError(f"{path}: cannot attach: neither UTF-8 text nor a PNG, JPEG, GIF or WebP picture")
    return Piece(name, text)


async def read_shown(door: Door, asked: str) -> Shown:
    """`FILE`, or `FILE:10-40` for some of its lines; one clear line for what is no text or is not there."""
    path, first, last = asked, 1, 0
    if (found := _LINES.fullmatch(asked)) and not _is_there(door.root, asked):
        path, first, last = found[1], int(found[2]), int(found[3] or found[2])
        if not 1 <= first <= last:
            raise UsageError(f"{asked}: lines are counted from 1, and the first comes first, as in {path}:10-40")
    data = await _read(door, path, limit=(MOST_ATTACHED if last else MOST_SHOWN) + 1)
    if len(data) > MOST_ATTACHED:
        larger = f"{path} is larger than {MOST_ATTACHED >> 20} MiB"
        raise UsageError(f"{larger}; !sed -n {first},{last}p {path} shows these lines")
    return _lines_shown(path, data, first, last) if last else _beginning_shown(path, data)


def text_of(data: bytes) -> str | None:
    """The bytes as text; None where they are none, or something that no model could read."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Half a character at the very end is where a cut fell.
        return data[: error.start].decode("utf-8-sig") if error.start >= max(len(data) - 3, 1) else None


def lines_of(text: str) -> list[str]:
    """The lines with their ends, as editors and diffs count them: other characters than a newline end none."""
    *whole, rest = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([rest] if rest else [])]


def name_of(path: str) -> str:
    """The last name of a path as one line of text."""
    return _label(Path(path).name or path)


async def _read(door: Door, path: str, limit: int | None) -> bytes:
    try:
        return await door.read(path, by="user", limit=limit)
    except Denied as denied:
        if isinstance(denied.problem, IsFolder):
            raise UsageError(f"{path} is a folder; /read-dir {path} shows the files in it") from None
        if isinstance(denied.problem, Missing):
            raise UsageError(f"{path} does not exist{await _nearby(door, path)}") from None
        raise


def _beginning_shown(path: str, data: bytes) -> Shown:
    is_cut = len(data) > MOST_SHOWN
    text = _text_or_error(path, data[:MOST_SHOWN])
    if not is_cut:
        count = text.count("\n") + (not text.endswith("\n") if text else 0)
        return Shown(Piece(_label(path), text), f"{path}: {counted(count, 'line')}")
    text = text[: text.rfind("\n") + 1] or text
    last = text.count("\n") or 1
    told = f"only lines 1-{last}: the file is larger than {MOST_SHOWN} bytes; {path}:{last + 1}-{2 * last} shows more"
    return Shown(Piece(f"{_label(path)}:1-{last}", text), f"{path}: {told}")


def _lines_shown(path: str, data: bytes, first: int, last: int) -> Shown:
    lines = lines_of(_text_or_error(path, data))
    if first > len(lines):
        raise UsageError(f"{path} has {counted(len(lines), 'line')}, so there is no line {first}")
    last = min(last, len(lines))
    text = "".join(lines[first - 1 : last])
    where = f"{first}-{last}" if last > first else str(first)
    if len(text.encode()) > MOST_SHOWN:
        raise UsageError(f"{path}:{where} is larger than {MOST_SHOWN} bytes; name fewer lines")
    which = f"lines {where}" if last > first else f"line {where}"
    return Shown(Piece(f"{_label(path)}:{where}", text), f"{path}: {which} of {len(lines)}")


def _text_or_error(path: str, data: bytes) -> str:
    text = text_of(data)
    if text is not None:
        return text
    if media_type(data):
        raise OnbookError(f"{path} is a picture; /attach {path} sends it with the next message")
    raise OnbookError(f"{path} is a binary file: there is no text in it to show")


def _label(path: str) -> str:
    """The path as one line of text, whatever bytes it is made of."""
    return " ".join(os.fsencode(path).decode("utf-8", "backslashreplace").split())


def _why(denied: Denied) -> str:
    if isinstance(denied.problem, Missing):
        return "No such file or directory"
    return denied.reason


def _is_there(root: Path, text: str) -> bool:
    return os.path.lexists(root / text)


async def _nearby(door: Door, path: str) -> str:
    """A name that somebody may have meant, from the same folder."""
    folder, slash, name = path.rpartition("/")
    try:
        looking = door.because("a name like the one typed is looked for")
        entries = await looking.entries(folder or slash or ".", by="user")
    except Denied:
        return ""
    names = [entry.path.rpartition("/")[2] for entry in entries if entry.path.isprintable()]
    near = nearest(name, names)
    return f"; did you mean {folder}{slash}{near}?" if near else ""
