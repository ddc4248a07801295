"""What a typed line means: a command, a program, a question to somebody by name, or plain talk.

One parser for the terminal, piped input, `/loop` and `onbook ask`, so that a line means the same everywhere.
"""

import re
import shlex

import msgspec

from onbook.outcome import UsageError


class CommandLine(msgspec.Struct, frozen=True):
    """`/name argument …`, split as a shell would."""

    name: str
    arguments: tuple[str, ...]


class ProgramLine(msgspec.Struct, frozen=True):
    """`!program argument …`"""

    argv: tuple[str, ...]


class MentionLine(msgspec.Struct, frozen=True):
    """`@name text`: one turn answered by that route or model."""

    name: str
    text: str


class ChatLine(msgspec.Struct, frozen=True):
    """Everything else, for the model to answer."""

    text: str


Line = CommandLine | ProgramLine | MentionLine | ChatLine

_COMMAND = re.compile(r"/([A-Za-z][A-Za-z0-9-]*)(?:\s+(.*))?", re.DOTALL)
_MENTION = re.compile(r"@(\w(?:[\w.:/-]*\w)?)[.:-]*\s+(\S.*)", re.DOTALL)


def parse_line(line: str) -> Line:
    r"""The line's meaning. `/etc/hosts` is no command, and `\/x`, `\!x`, `\@x` are talk without the backslash."""
    text = line.strip()
    if text[:2] in (r"\/", r"\!", r"\@"):
        return ChatLine(text[1:])
    if found := _COMMAND.fullmatch(text):
        return CommandLine(found[1].lower(), _words(found[2] or "", f"/{found[1]}"))
    if text.startswith("!"):
        return ProgramLine(_words(text[1:], "!"))
    if found := _MENTION.fullmatch(text):
        return MentionLine(found[1], found[2])
    return ChatLine(text)


def _words(text: str, whose: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{whose}: {str(error).lower()}: close the quote, or write \\' for the mark itself") from None
