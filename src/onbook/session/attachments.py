"""Files that go with a message: pictures as they are, text with its name around it."""

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from onbook.models.messages import Image
from onbook.outcome import UsageError

MOST_BYTES = 20 * 2**20
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class Prompt(msgspec.Struct, frozen=True):
    """What the user says in one turn, with what came along."""

    text: str
    images: tuple[Image, ...] = ()
    attachments: tuple[str, ...] = ()
    """Each attachment as the record names it."""


def with_attachments(text: str, paths: Iterable[Path]) -> Prompt:
    """The message with every file read; the first that cannot be is an error, and nothing is sent."""
    images, texts, names = [], [], []
    for path in paths:
        data = _read(path)
        if media_type := _media_type(data):
            images.append(Image(media_type, data, _name(path)))
            names.append(f"{_name(path)} ({media_type}, {len(data)} bytes)")
        else:
            texts.append(_fenced(path, data))
            names.append(f"{_name(path)} (text, {len(data)} bytes)")
    # The question stands last: small models answer what they read last.
    return Prompt("\n\n".join([*texts, text] if text else texts), tuple(images), tuple(names))


def is_picture(attachment: str) -> bool:
    """Whether the record names a picture with these words; the text of other attachments is in the message itself."""
    return "image/" in attachment.rpartition(" (")[2]


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot attach: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: cannot attach: larger than {MOST_BYTES // 2**20} MiB")
    return data


def _name(path: Path) -> str:
    """The file's name as one line of text, whatever bytes it is made of."""
    return " ".join(os.fsencode(path.name).decode("utf-8", "backslashreplace").split())


def _media_type(data: bytes) -> str | None:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def _fenced(path: Path, data: bytes) -> str:
    """The text in a fence longer than any inside it, so that the file cannot end its own frame."""
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: cannot attach: neither UTF-8 text nor a PNG, JPEG, GIF or WebP picture") from None
    if "\0" in content:
        raise UsageError(f"{path}: cannot attach: a binary file")
    longest = max((len(run) for run in _runs_of_backticks(content)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence} {_name(path)}\n{content.removesuffix(chr(10))}\n{fence}"


def _runs_of_backticks(text: str) -> list[str]:
    import re

    return re.findall(r"`{3,}", text)
