"""Text fit for a model: no control codes, no keys, no more than it can use, and honest about what is missing."""

import re

from onbook.policy.effects import one_line
from onbook.policy.secrets import redact
from onbook.session.tools.tool import ToolFailed

MOST_CHARACTERS = 30_000
"""So much of one result is shown; about 7,500 tokens."""
LONGEST_LINE = 2_000
_BINARY_LOOK = 8_192
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def readable(data: bytes) -> str:
    """The bytes of a file as text, with line ends alike."""
    return safe(data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n"))


def safe(text: str) -> str:
    """The text without keys, and with control codes spelt out, as `\\x1b`."""
    return redact(_CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text))


def safe_name(path: str) -> str:
    """The name of a file, in one line whatever it is: names must not speak to the model in lines of their own."""
    return redact(one_line(path, LONGEST_LINE))


def is_binary(data: bytes) -> bool:
    """Whether the bytes are no text, by a look at their beginning."""
    return b"\0" in data[:_BINARY_LOOK]


def check_text(data: bytes, path: str) -> None:
    """ToolFailed for what is no text."""
    if is_binary(data):
        raise ToolFailed(f"{path} is a binary file, not text")


def short_line(line: str, longest: int = LONGEST_LINE) -> str:
    """The line, or its beginning and how much longer it is."""
    return line if len(line) <= longest else f"{line[:longest]} [… {len(line) - longest} characters more]"
