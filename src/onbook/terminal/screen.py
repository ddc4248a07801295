"""What a stream can show: is it a terminal, can somebody be asked there, how dim text looks, what must not reach it."""

import os
import re
import sys
from typing import TextIO

from onbook.cells import in_rows, width


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


def at_words(text: str, columns: int | None) -> str:
    """The text with its lines broken where a terminal of that width would break them in the middle of a word. Without
    a width all stays on its line, where grep finds it."""
    if columns is None:
        return text
    lines = text.split("\n")
    return "\n".join(row for line in lines for row in in_rows(line, columns, hanging(line, columns)))


def hanging(line: str, columns: int) -> str:
    """The spaces before what a line goes on with: it stands below its own words, behind indentation, mark and columns,
    as far as these leave half of the room."""
    ends = (width(line[: found.end()]) for found in _BEFORE_WORDS.finditer(line[:columns]))
    return " " * max(end for end in (0, *ends) if end <= columns // 2)


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


def say_aside(line: str) -> None:
    """A line of our own on standard error, beside whatever is answered."""
    write_aside(at_words(printable(line), width_of(sys.stderr)) + "\n")


_GREEN, _RED = "\x1b[32m✓\x1b[39m", "\x1b[31m✗\x1b[39m"
_USUAL_WIDTH = 80
"""Of a terminal that does not say."""
_BEFORE_WORDS = re.compile(r"^\s*(?:(?:[-*+•✓✗–]|\d+[.)]) +)?(?=\S)|(?<=[^\s.!?]) {2,}(?=\S)")
"""A list's mark, or a gap between columns; two spaces after a sentence are none."""

# A carriage return is dropped, for the sake of replies that end their lines in two characters.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_CONTROLS[ord("\r")] = ""
_CONTROLS |= {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
