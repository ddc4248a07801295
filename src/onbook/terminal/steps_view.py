"""The steps of a flow as lines for a person: a step's own line when it has ended, what was inside it indented below.

`Step 1/2: detect_files ........................ 0.12s ✓` is the form that seed 5 fixes: the dots end in column 47.
"""

from dataclasses import dataclass, field

import msgspec

from onbook.events import RunStarted, StepFinished, StepStarted

DOTS_END = 47
MOST_INSIDE = 20
"""Lines below one step: who runs ten thousand items wants the number, and what failed."""
_FEWEST_DOTS = 3
_LONGEST_ITEM = 38
"""So that the dots of an item line up too."""


def is_flow(started: RunStarted) -> bool:
    """Whether the run is one of steps."""
    return started.kind in ("script", "workflow") and bool(started.name)


def header(started: RunStarted) -> str:
    """`[Pipeline: context_pipeline]`"""
    return f"[{'Workflow' if started.kind == 'workflow' else 'Pipeline'}: {started.name}]"


class Line(msgspec.Struct, frozen=True):
    """A line that is ready but for its place: how deep it stands is known when everything around it has ended."""

    text: str
    ending: str = ""
    """What comes after the dots, if it has dots."""
    depth: int = 0

    def __str__(self) -> str:
        text = "  " * self.depth + self.text
        if not self.ending:
            return text
        return f"{text} {'.' * max(DOTS_END - len(text) - 1, _FEWEST_DOTS)} {self.ending}"

    @property
    def inside(self) -> "Line":
        return msgspec.structs.replace(self, depth=self.depth + 1)


@dataclass
class _Open:
    """A step that has begun, and what has ended inside it."""

    started: StepStarted
    lines: list[Line] = field(default_factory=list)
    left_out: int = 0
    done: int = 0
    total: int = 0
    explained: bool = False
    """Whether something inside it has said why it failed."""


class Steps:
    """The steps of one run. Nothing here prints."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._top: _Open | None = None
        self._counted: _Open | None = None
        self._reasons: list[str] = []

    @property
    def label(self) -> str:
        """What goes on at the moment: `Step 2/3: lint_all | 12/40`; nothing between two steps. Any thread may ask."""
        top, counted = self._top, self._counted
        if top is None:
            return ""
        return _label(top.started) + (f" | {_progress(counted)}" if counted else "")

    def has_said(self, error: str) -> bool:
        """Whether a step's line has given this reason already."""
        return any(error.endswith(reason) for reason in self._reasons)

    def take(self, event: StepStarted | StepFinished) -> list[str]:
        """The lines that can be said for good: those of a step at the top, when it has ended."""
        if isinstance(event, StepFinished):
            return self._finish(event)
        self._start(event)
        return []

    def _start(self, event: StepStarted) -> None:
        self._open[event.address] = started = _Open(event)
        around = self._around(event.address)
        if around is None:
            self._top = started
        elif event.kind in ("round", "item"):
            around.total = event.total
            self._counted = self._counted or around

    def _finish(self, event: StepFinished) -> list[str]:
        ended = self._open.pop(event.address, None)
        if ended is None:
            return []
        around = self._around(event.address)
        passed = event.outcome == "passed"
        lines = self._lines(ended, event, passed=passed, shown=around is None or _is_shown(ended, around, event))
        if ended is self._counted:
            self._counted = None
        if around is None:
            self._top = None
            return [str(line) for line in lines]
        around.done += ended.started.kind in ("round", "item")
        around.explained |= ended.explained
        if not passed or len(around.lines) + len(lines) <= MOST_INSIDE:
            around.lines += lines
        else:
            around.left_out += bool(lines)
        return []

    def _lines(self, ended: _Open, event: StepFinished, *, passed: bool, shown: bool) -> list[Line]:
        own = [_line(ended.started, event, passed=passed)] if shown else []
        inside = [*ended.lines, *([Line(f"… and {ended.left_out} more")] if ended.left_out else [])]
        if event.error and not ended.explained:
            ended.explained = True
            self._reasons.append(event.error)
            own.append(Line(f"Error: {event.error}"))
            if event.detail.strip() not in event.error:
                inside += [Line(line) for line in event.detail.splitlines()]
        return [*own, *((line.inside for line in inside) if shown else inside)]

    def _around(self, address: str) -> _Open | None:
        """What it is inside of; the steps of the branch `a/on_match` are `a/on_match[1]`, `a/on_match[2]`."""
        branch = address.rpartition("[")[0]
        while branch not in self._open and "/" in address:
            address = branch = address.rpartition("/")[0]
        return self._open.get(branch)


def _is_shown(ended: _Open, around: _Open, event: StepFinished) -> bool:
    """A command inside a round or an item is not, unless it failed: the round's own line says as much."""
    is_plain = ended.started.kind == "once" and around.started.kind in ("round", "item")
    return not is_plain or event.outcome not in ("passed", "cancelled")


def _line(started: StepStarted, event: StepFinished, *, passed: bool) -> Line:
    remark = "cancelled" if event.outcome == "cancelled" else event.detail if passed else ""
    if event.reused:
        remark = "reused"
    return Line(_label(started), f"{event.seconds:.2f}s {'✓' if passed else '✗'} {remark}".rstrip())


def _label(started: StepStarted) -> str:
    place = f"{started.index}/{started.total}"
    if started.kind == "round":
        return f"round {place}"
    if started.kind == "item":
        text = f"item {place}: {' '.join(started.name.split())}"
        return text if len(text) <= _LONGEST_ITEM else f"{text[: _LONGEST_ITEM - 1]}…"
    return started.name if "/" in started.address else f"Step {place}: {started.name}"


def _progress(counted: _Open) -> str:
    if counted.started.kind == "loop":
        return f"round {min(counted.done + 1, counted.total)}/{counted.total}"
    return f"{counted.done}/{counted.total}"
