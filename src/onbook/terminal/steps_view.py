"""The steps of a flow as lines for a person: a step's own line when it has ended, what was inside it indented below."""

from dataclasses import dataclass, field

import msgspec

from onbook.events import RunFinished, StepFinished, StepStarted
from onbook.terminal.step_lines import EndLine, Line, is_below, step_label, step_line

MOST_INSIDE = 20
"""Lines below one step: who runs ten thousand items wants the number, and what failed."""


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
    kept: bool = False
    """Whether something inside it was taken from the journal."""
    ran: bool = False
    """Whether something inside it was not."""


class Steps:
    """The steps of one run. Nothing here prints."""

    def __init__(self, end_line: EndLine = step_line) -> None:
        self._end_line = end_line
        self._open: dict[str, _Open] = {}
        self._top: _Open | None = None
        self._counted: _Open | None = None
        self._reasons: list[str] = []
        self._fell_below = False

    @property
    def label(self) -> str:
        """Which step runs at the moment; nothing between two steps. Any thread may ask."""
        top = self._top
        return step_label(top.started) if top is not None else ""

    @property
    def progress(self) -> str:
        """How far a step with many parts is: `12/40`, `round 2/5`. Any thread may ask."""
        counted = self._counted
        return _progress(counted) if counted is not None else ""

    def has_told(self, finished: RunFinished) -> bool:
        """Whether a step's line has said already why the run ended."""
        if finished.outcome == "below_threshold" and self._fell_below:
            return True
        return any(finished.error.endswith(reason) for reason in self._reasons)

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
        event = _with_parts(ended, event)
        around = self._around(event.address)
        lines = self._lines(ended, event, shown=around is None or _is_shown(ended, around, event))
        if ended is self._counted:
            self._counted = None
        if around is None:
            self._top = None
            return [str(line) for line in lines]
        _add_to(around, ended)
        if event.outcome != "passed" or len(around.lines) + len(lines) <= MOST_INSIDE:
            around.lines += lines
        else:
            around.left_out += bool(lines)
        return []

    def _lines(self, ended: _Open, event: StepFinished, *, shown: bool) -> list[Line]:
        own = [self._end_line(ended.started, event)] if shown else []
        inside = [*ended.lines, *([Line(f"… and {ended.left_out} more")] if ended.left_out else [])]
        if is_below(event):
            ended.explained = self._fell_below = True
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


def _with_parts(ended: _Open, event: StepFinished) -> StepFinished:
    """The event; it counts as reused exactly when all that it is made of was."""
    ended.kept |= event.reused
    ended.ran |= ended.started.kind in ("once", "conditional") and not event.reused
    reused = ended.kept and not ended.ran
    return event if event.reused == reused else msgspec.structs.replace(event, reused=reused)


def _add_to(around: _Open, ended: _Open) -> None:
    around.done += ended.started.kind in ("round", "item")
    around.explained |= ended.explained
    around.kept |= ended.kept
    around.ran |= ended.ran


def _is_shown(ended: _Open, around: _Open, event: StepFinished) -> bool:
    """A command inside a round or an item is not, unless it failed: the round's own line says as much."""
    is_plain = ended.started.kind == "once" and around.started.kind in ("round", "item")
    return not is_plain or event.outcome not in ("passed", "cancelled")


def _progress(counted: _Open) -> str:
    if counted.started.kind == "loop":
        return f"round {min(counted.done + 1, counted.total)}/{counted.total}"
    return f"{counted.done}/{counted.total}"
