"""What a stream can show: is it a terminal, can somebody be asked there, how dim text looks, what must not reach it."""

import os
import sys
from typing import TextIO


def is_terminal(stream: TextIO) -> bool:
    """Whether control codes make sense here: a real terminal that is not called dumb."""
    return stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def can_ask() -> bool:
    """Whether somebody is there who sees a question on standard error and can type an answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def width_of(stream: TextIO) -> int | None:
    """How many columns a terminal has; None for what is none, where a line may be as long as it is."""
    return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH if stream.isatty() else None


def dim(text: str, stream: TextIO) -> str:
    """The text set back where the stream can show it (and `NO_COLOR` does not forbid it)."""
    return styled("2", text) if is_terminal(stream) else text


def styled(codes: str, text: str) -> str:
    """The text in a terminal's style, for where control codes are known to be welcome; none with `NO_COLOR`."""
    return text if os.environ.get("NO_COLOR") else f"\x1b[{codes}m{text}\x1b[0m"


def marked(text: str) -> str:
    """The text with its marks, ✓ and ✗, in green and red, for where control codes are welcome. What style the text has
    besides goes on behind them."""
    return text if os.environ.get("NO_COLOR") else text.replace("✓", _GREEN).replace("✗", _RED)


def printable(text: str) -> str:
    """The text without what could move the cursor, recolour the screen or make a line read in another order."""
    return text.translate(_CONTROLS)


def fit_for(stream: TextIO, text: str) -> str:
    """The text as the stream may have it: a terminal, dumb or not, gets nothing that drives it; a file gets all."""
    return printable(text) if stream.isatty() else text


def write(stream: TextIO, text: str) -> None:
    """Write at once, so that what was said is seen now and a reader that left is noticed now."""
    stream.write(text)
    stream.flush()


def write_aside(text: str) -> None:
    """Write to standard error. Where nobody listens there is nobody to tell, and nothing else may suffer."""
    try:
        write(sys.stderr, text)
    except OSError:
        pass


_GREEN, _RED = "\x1b[32m✓\x1b[39m", "\x1b[31m✗\x1b[39m"
_USUAL_WIDTH = 80
"""Of a terminal that does not say."""

# A carriage return is dropped, for the sake of replies that end their lines in two characters.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_CONTROLS[ord("\r")] = ""
_CONTROLS |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
