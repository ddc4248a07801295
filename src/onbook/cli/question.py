"""What `onbook ask` was given: the words of the command line as one line, and what was piped in."""

import os
import shlex
import stat
import sys
from collections.abc import Sequence

from onbook.cli.piped import piped_text
from onbook.outcome import UsageError
from onbook.session.grammar import ChatLine, CommandLine, Line, ProgramLine, parse_line


def line_of(text: Sequence[str]) -> str:
    """The words as one line. Those of a command or a program stay apart, as the shell gave them."""
    if len(text) > 1 and is_order(parse_line(f"{text[0]} …")):
        return f"{text[0]} {shlex.join(text[1:])}"
    return " ".join(text).strip()


def meaning_of(words: str) -> Line:
    """What the words mean, with what was piped in as part of the question, and of nothing else."""
    if words.startswith("@"):
        return parse_line(_joined(words, _piped()))
    line = parse_line(words)
    return ChatLine(_joined(line.text, _piped())) if isinstance(line, ChatLine) else line


def is_order(line: Line) -> bool:
    """Whether it is carried out by onbook itself, and no model is asked."""
    return isinstance(line, CommandLine | ProgramLine)


def ignores_stdin(line: Line) -> bool:
    """Whether somebody piped something in, for a line that reads nothing."""
    found = os.fstat(sys.stdin.fileno())
    return is_order(line) and (stat.S_ISFIFO(found.st_mode) or (stat.S_ISREG(found.st_mode) and found.st_size > 0))


def check_unicode(text: str, what: str) -> None:
    """A command line is bytes; those that are no text can neither be sent nor recorded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8") from None


def _piped() -> str:
    return piped_text(advice="; attach a picture with --attach FILE")


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part.strip())
