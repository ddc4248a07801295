"""What was piped into a command, as text that a model can read."""

import sys

from onbook.flow.texts import MOST
from onbook.outcome import UsageError


def piped_text(*, command: str = "", advice: str) -> str:
    """The text, without a newline at its end; at a terminal nothing. `command` and `advice` stand around what is wrong
    with it."""
    if sys.stdin.isatty():
        return ""
    content = sys.stdin.buffer.read(MOST + 1)
    if len(content) > MOST:
        raise UsageError(f"{command}standard input is larger than 16 MiB, more than any model reads")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{command}standard input is not UTF-8 text{advice}") from None
    if "\0" in text:
        raise UsageError(f"{command}standard input is binary{advice}")
    return text.rstrip("\n")
