"""Short lines beside the answers: what a tool did, what a turn cost, which notes are worth saying."""

from typing import TYPE_CHECKING

import msgspec

from onbook.events import Note, ProcessFinished, ToolFinished, Totals
from onbook.outcome import OnbookError

if TYPE_CHECKING:
    from onbook.session.live import LogLevel

_LONGEST = 100
_HEARD = {"none": ("warning",), "info": ("info", "warning"), "debug": ("debug", "info", "warning")}


def is_heard(note: Note, level: "LogLevel") -> bool:
    """Whether a note is said at this log level; warnings always are."""
    return note.level in _HEARD[level]


def statistics(totals: Totals) -> str:
    """What a turn cost, in one line: `32 + 20 tokens · 0.4 s · context 1%`."""
    about = "~" if totals.estimated else ""
    tokens = f"{about}{totals.prompt_tokens or 0} + {about}{totals.completion_tokens or 0} tokens"
    context = "?" if totals.context_used is None else f"{totals.context_used:.0%}"
    return f"{tokens} · {totals.seconds:.1f} s · context {context}"


def tool_call(name: str, arguments: str) -> str:
    """A call as a person reads it: `read_file notes.md 1 40`."""
    try:
        given = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        given = arguments
    values = given.values() if isinstance(given, dict) else [given]
    return _cut(" ".join([name, *(in_short(value) for value in values)]))


def tool_lines(call: str, finished: ToolFinished, level: "LogLevel") -> list[str]:
    """What came of a call; at `debug` with all that the model was told."""
    mark, why = ("✓", "") if finished.ok else ("✗", f" · {_first_line(finished.result)}")
    lines = [f"{mark} {call}{why} · {finished.seconds:.1f} s"]
    return [*lines, *(f"  {line}" for line in finished.result.splitlines())] if level == "debug" else lines


def is_worth_saying(finished: ProcessFinished, level: "LogLevel", *, asked_by_model: bool) -> bool:
    """Whether a person wants to know how a program ended: of one they started, when that was not well. What became of
    a model's is said with its tool."""
    went_wrong = finished.exit_code != 0 or bool(finished.problem)
    return level == "debug" or (level == "info" and went_wrong and not asked_by_model)


def process_line(finished: ProcessFinished) -> str:
    """How a program ended."""
    how = finished.problem or f"exit code {finished.exit_code}"
    return f"{_cut(finished.command)} · {how} · {finished.seconds:.1f} s"


def in_short(value: object) -> str:
    """The beginning of its first line."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    first, more, _ = text.partition("\n")
    return _cut(first, 60) + (" …" if more else "")


def problem_line(problem: BaseException) -> str:
    """What stood in the way of a line: said in its own words, or named as a mistake of ours."""
    if isinstance(problem, OnbookError):
        return f"onbook: {problem}"
    return f"onbook: internal error: {type(problem).__name__}: {problem}"


def _first_line(text: str) -> str:
    return _cut(text.strip().partition("\n")[0], 200)


def _cut(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
