"""What `/loop` was asked for: the one parser of it, for the session and the command line."""

import io
import re
import shlex
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from onbook.config.errors import did_you_mean
from onbook.config.patterns import line_pattern
from onbook.config.percent import RIGHT_FORM, share_of
from onbook.loop.interval import seconds_of, span
from onbook.outcome import UsageError
from onbook.policy.effects import one_line
from onbook.session.grammar import ChatLine, CommandLine, MentionLine, is_exit, parse_line

COUNT, MOST = 10, 100
"""Seed 3: an unbounded loop could call models and run programs for ever, with nobody looking."""
USAGE = "Usage: /loop INTERVAL [--count N] PROMPT"
"""Seed 3, of a loop with nothing to repeat; the options that it leaves out are ours."""
_BAD_COUNT = f"loop: --count must be an integer between 1 and {MOST}"


class Plan(msgspec.Struct, frozen=True):
    """One loop, ready to run."""

    interval: float
    """Seconds between the end of an iteration and the start of the next."""
    line: str
    """What is carried out, as it was typed."""
    count: int = COUNT
    until: str | None = None
    """A pattern, which compiles; the iteration whose output it is found in is the last."""
    on_change: bool = False
    until_confidence: float | None = None

    @property
    def announcement(self) -> str:
        times = "1 time" if self.count == 1 else f"{self.count} times"
        return f"Looping every {span(self.interval)}, up to {times}: {one_line(self.line)}"


def plan_of(text: str) -> Plan:
    """The loop that the words after `/loop` ask for; UsageError, and nothing runs, when they ask for none."""
    words = _Typed(text)
    interval = seconds_of(words.take() or "")
    given: dict[str, Any] = {}
    while (option := words.option()) is not None:
        given |= _read(option, words)
    line = words.rest().rstrip()
    if not line:
        raise UsageError(USAGE)
    plan = Plan(interval, line, **given)
    _check(plan)
    return plan


def as_typed(words: Sequence[str], line_of: Callable[[Sequence[str]], str]) -> str:
    """The words of a shell's command line as somebody would have typed them after `/loop`; `line_of` does the same for
    those of the prompt."""
    head = words_before_prompt(words)
    before = " ".join(_option_as_typed(word) if word.startswith("--") else shlex.quote(word) for word in words[:head])
    return f"{before} {line_of(words[head:])}".strip()


def words_before_prompt(words: Sequence[str]) -> int:
    """How many words the interval and the options take, those of an unfinished option included."""
    head = 1
    while head < len(words) and words[head].startswith("--"):
        if words[head] == "--":
            return head + 1
        head += 2 if words[head] in _VALUED else 1
    return head


def prompt_in(text: str) -> str:
    """What stands after the interval and the options, as far as it is typed."""
    words = _Typed(text)
    words.take()
    while (option := words.option()) is not None:
        if option in _VALUED:
            words.take()
    return words.rest()


def _option_as_typed(word: str) -> str:
    """With quotes around what needs them, and never around the dashes, by which an option is known."""
    name, equals, value = word.removeprefix("--").partition("=")
    return f"--{name and shlex.quote(name)}{equals}{equals and shlex.quote(value)}"


class _Typed:
    """A typed text, read a word at a time as a shell would; what is left stays as it was typed."""

    def __init__(self, text: str) -> None:
        self._left = text.lstrip()
        self._ended = False

    def take(self) -> str | None:
        """The next word; None at the end."""
        source = io.StringIO(self._left)
        lexer = shlex.shlex(source, posix=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        try:
            word = lexer.get_token()
        except ValueError as error:
            raise UsageError(f"loop: {str(error).lower()}: close the quote") from None
        self._left = source.read().lstrip()
        return word

    def option(self) -> str | None:
        """The next word, if it is an option; `--` alone says that there are no more."""
        if self._ended or _OPTION.match(self._left) is None:
            return None
        word = self.take()
        self._ended = word == "--"
        return None if self._ended else word

    def rest(self) -> str:
        return self._left


def _read(option: str, words: _Typed) -> dict[str, Any]:
    name, equals, value = option.partition("=")
    if option == "--on-change":
        return {"on_change": True}
    if name == "--on-change":
        raise UsageError("loop: --on-change takes no value")
    if name not in _VALUED:
        hint = did_you_mean(name, OPTIONS) or f"; there is {', '.join(OPTIONS)}, and -- before a prompt that begins so"
        raise UsageError(f"loop: there is no option {one_line(name)}{hint}")
    return _VALUED[name](value if equals else words.take())


def _count(value: str | None) -> dict[str, Any]:
    digits = (value or "").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10 and 1 <= int(digits) <= MOST):
        raise UsageError(_BAD_COUNT)
    return {"count": int(digits)}


def _until(value: str | None) -> dict[str, Any]:
    if not value:
        raise UsageError("loop: --until needs a pattern, as in --until FAILED")
    try:
        line_pattern(value)
    except UsageError as error:
        raise UsageError(f"loop: --until {error}") from None
    return {"until": value}


def _until_confidence(value: str | None) -> dict[str, Any]:
    share = share_of(value or "")
    if share is None:
        raise UsageError(f"loop: --until-confidence must be {RIGHT_FORM}")
    return {"until_confidence": share}


_VALUED: dict[str, Callable[[str | None], dict[str, Any]]] = {
    "--count": _count,
    "--until": _until,
    "--until-confidence": _until_confidence,
}
OPTIONS = (*_VALUED, "--on-change")
_OPTION = re.compile(r"--|-[A-Za-z]")
"""What an option begins with. There are no short ones, but `-m NAME` before a prompt is hardly a part of it."""


def _check(plan: Plan) -> None:
    """Whether the line is one that can be looped; one that would leave the session is, and then stops the loop."""
    if is_exit(plan.line):
        return
    parsed = parse_line(plan.line)
    if isinstance(parsed, CommandLine) and parsed.name == "loop":
        raise UsageError("loop: a /loop inside a /loop is refused")
    if plan.until_confidence is not None and not isinstance(parsed, ChatLine | MentionLine):
        first = plan.line.split()[0]
        raise UsageError(f"loop: --until-confidence goes with a prompt that a model answers; {one_line(first)} is none")
