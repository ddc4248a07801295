"""From a file to passages: whole lines, about as much as a question needs, cut where the text itself pauses."""

import re

import msgspec

TARGET = 1_600
"""Characters in a passage, more or less: some four hundred tokens, which every embedding model can read."""
OVERLAP = 2
"""Lines that a passage shares with the one before, where it was cut in the middle of a thought."""


class Chunk(msgspec.Struct, frozen=True):
    """Some lines of a file, counted from 1."""

    first: int
    last: int
    text: str


def as_text(data: bytes) -> str | None:
    """The text of a file; None when it is none."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _decoded(data, "utf-16")
    if b"\0" in data:
        return None
    text = _decoded(data, "utf-8-sig")
    if text is None and not data.translate(None, _TEXT_BYTES):
        text = data.decode("cp1252", "replace")
    return text


def chunked(text: str) -> list[Chunk]:
    """The passages of a text, in order; together they hold every line that says something."""
    chunks: list[Chunk] = []
    start, line = 0, 1
    while start < len(text):
        cut, following = _cut(text, start)
        piece = text[start:cut].rstrip()
        blank = _BLANK_LINES.match(piece)
        body = piece[blank.end() :] if blank else piece
        if body:
            first = line + piece.count("\n", 0, len(piece) - len(body))
            chunks.append(Chunk(first, first + body.count("\n"), body))
        line += text.count("\n", start, following)
        start = following
    return chunks


def _cut(text: str, start: int) -> tuple[int, int]:
    """Where the passage ends that begins at `start`, and where the next one begins: a little before, when no heading
    and no blank line parts them."""
    half, end = start + TARGET // 2, start + TARGET
    if len(text) - start <= TARGET * 5 // 4:
        return len(text), len(text)
    if heading := _HEADING.search(text, half, end):
        return heading.end(), heading.end()
    if (cut := text.rfind("\n\n", half, end)) >= 0:
        return cut + 2, cut + 2
    if (cut := text.rfind("\n", start, end) + 1) > start:
        return cut, _two_lines_before(text, cut, half)
    cut = text.rfind(" ", half, end) + 1 or end  # a line as long as a file
    return cut, cut


def _two_lines_before(text: str, cut: int, half: int) -> int:
    earliest = max(half, cut - TARGET // 4)
    at = cut
    for _ in range(OVERLAP):
        before = text.rfind("\n", earliest, at - 1) + 1
        at = before or at
    return at


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


_HEADING = re.compile(r"\n(?=#|(?:async )?def |class |func |(?:pub )?fn |export |\\(?:section|chapter))")
_BLANK_LINES = re.compile(r"(?:[ \t\r\f]*\n)+")
_TEXT_BYTES = bytes(range(0x20, 0x100)) + b"\t\n\f\r\x1b"
