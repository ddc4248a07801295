"""What a typed line means: a command, a program, a question to somebody by name, or plain talk.

One parser for the terminal, piped input, `/loop` and `onbook ask`, so that a line means the same everywhere.
"""

import re
import shlex

import msgspec

from onbook.outcome import UsageError


class CommandLine(msgspec.Struct, frozen=True):
    """`/name argument …`, split as a shell would. What an `AS_TYPED` command carries out is one argument."""

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

EXITS = frozenset({"exit", "quit", "bye"})
AS_TYPED = frozenset({"loop"})
"""Commands that carry out another line, which has a meaning, and quotes, of its own."""
_COMMAND_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_LEADING_BLANK_LINES = re.compile(r"\A\s*\n")
_MENTIONED = re.compile(r"(\w(?:[\w.:/-]*\w)?)[.:,-]*")


def parse_line(line: str) -> Line:
    r"""The line's meaning. `/etc/hosts` is no command, and `\/x`, `\!x`, `\@x` are talk without the backslash."""
    text = line.strip()
    if text[:2] in (r"\/", r"\!", r"\@"):
        return ChatLine(text[1:])
    first, rest = _split(text)
    if text == "/":
        raise UsageError("/: the name of a command is missing, as in /help")
    if first.startswith("/") and _COMMAND_NAME.fullmatch(first[1:]):
        return _command(first, rest)
    if first.startswith("!"):
        return _program(text[1:])
    if first.startswith("@") and (found := _MENTIONED.fullmatch(first[1:])):
        return _mention(found[1], rest)
    return ChatLine(_LEADING_BLANK_LINES.sub("", line).rstrip() if "\n" in text else text)


def is_exit(line: str) -> bool:
    """Whether the line would leave the session, whatever its case or spacing."""
    try:
        parsed = parse_line(line)
    except UsageError:
        return False
    return isinstance(parsed, CommandLine) and parsed.name in EXITS


def _split(text: str) -> tuple[str, str]:
    words = text.split(maxsplit=1)
    return (words[0], words[1] if len(words) > 1 else "") if words else ("", "")


def _command(first: str, rest: str) -> CommandLine:
    name = first[1:].lower()
    if name in AS_TYPED:
        return CommandLine(name, (rest,) if rest else ())
    return CommandLine(name, _words(rest, first))


def _program(text: str) -> ProgramLine:
    argv = _words(text, "!")
    if not any(argv[:1]):
        raise UsageError("!: the name of a program is missing, as in !ls -l")
    return ProgramLine(argv)


def _mention(name: str, text: str) -> MentionLine:
    if not text:
        raise UsageError(rf"@{name}: the message is missing, as in @{name} hello; \@{name} is the word itself")
    return MentionLine(name, text)


def _words(text: str, whose: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{whose}: {str(error).lower()}: close the quote, or write \\' for the mark itself") from None
