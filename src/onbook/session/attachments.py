"""Files that go with a message: pictures as they are, text with its name around it."""

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
    images, names = [], []
    for path in paths:
        data = _read(path)
        if media_type := _media_type(data):
            images.append(Image(media_type, data, path.name))
            names.append(f"{path.name} ({media_type}, {len(data)} bytes)")
        else:
            text = f"{text}\n\n{_fenced(path, data)}".lstrip()
            names.append(f"{path.name} (text, {len(data)} bytes)")
    return Prompt(text, tuple(images), tuple(names))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot attach: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: cannot attach: larger than {MOST_BYTES // 2**20} MiB")
    return data


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
    return f"{fence} {path.name}\n{content.removesuffix(chr(10))}\n{fence}"


def _runs_of_backticks(text: str) -> list[str]:
    import re

    return re.findall(r"`{3,}", text)
