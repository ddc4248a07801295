"""What a stream can show: whether it is a terminal, and how dim text looks on it, if at all."""

import os
from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    """Whether control codes make sense here: a real terminal that is not called dumb."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def dim(text: str, stream: TextIO) -> str:
    """The text set back where the stream can show it (and `NO_COLOR` does not forbid it)."""
    if is_terminal(stream) and not os.environ.get("NO_COLOR"):
        return f"\x1b[2m{text}\x1b[0m"
    return text


def printable(text: str) -> str:
    """The text without control characters that could move the cursor or recolour the screen."""
    return text.translate(_CONTROLS)


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
