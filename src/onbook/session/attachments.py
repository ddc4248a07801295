"""What a message is made of, and how the record names what came along with it."""

import msgspec

from onbook.models.messages import Image

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


def is_picture(attachment: str) -> bool:
    """Whether the record names a picture with these words; the text of other attachments is in the message itself."""
    return "image/" in attachment.rpartition(" (")[2]


def media_type(data: bytes) -> str | None:
    """Which kind of picture the bytes are; None when they are none that models can see."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)
