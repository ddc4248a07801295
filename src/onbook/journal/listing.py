"""What the journal says of its runs, for people and programs."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec

from onbook.journal.errors import NoSuchRun
from onbook.journal.processes import is_running
from onbook.journal.run import GIVEN
from onbook.journal.schema import span
from onbook.outcome import Outcome

RUNNING = "running"
INTERRUPTED = "interrupted"
"""Begun and never ended, and the process is gone: it was killed."""

_RUNS = (
    "SELECT number, id, kind, name, definition, role, config, call, steps, started, began, seconds, outcome, error, "
    "process FROM runs"
)
_TOTALS = (
    "SELECT count(*), count(DISTINCT substr(address, 1, instr(address || '/', '/') - 1)), sum(cost) "
    "FROM instances WHERE number BETWEEN ? AND ? AND address <> ?"
)
_LOST = (
    "SELECT (SELECT max(finished) FROM instances WHERE number BETWEEN ? AND ?) - began FROM runs "
    "WHERE number = ? AND outcome IS NULL"
)
_Time = Annotated[float, msgspec.Meta(ge=0, le=253402300799)]
"""Up to the year 9999."""
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=10**12)]
_RUN_ROW = tuple[
    int, str, str, str, str, str, str, str, int, _Time, _Time, _Seconds, str | None, str, str
]  # as in _RUNS
_INSTANCE_ROW = tuple[str, str, _Seconds, int, _Time, float | None, str]
_LAST = "SELECT address, outcome FROM instances WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT 1"


class Run(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run as `onbook runs list` shows it."""

    id: str
    kind: str
    name: str
    started: float
    """Seconds since 1970, UTC."""
    outcome: str
    """As in events, or `running`, or `interrupted`."""
    steps_done: int
    """Steps of the top level that passed."""
    steps: int
    seconds: float
    instances: int
    """Everything that ended in it, at any depth."""
    cost: float | None = None
    role: str = ""
    config: str = ""
    definition: str = ""
    error: str = ""
    call: str = ""
    """How a pipeline of prompts was called."""


class Instance(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step instance as `onbook runs show` shows it."""

    address: str
    outcome: str
    seconds: float
    bytes: int
    finished: float
    cost: float | None = None
    error: str = ""


def list_runs(database: sqlite3.Connection) -> list[Run]:
    """Every run, the newest first."""
    return [_run(database, row) for row in database.execute(f"{_RUNS} ORDER BY number DESC").fetchall()]


def find_run(database: sqlite3.Connection, wanted: str) -> Run:
    """The run of that id, the only one whose id begins like that, or the `latest`."""
    if wanted == "latest":
        rows = database.execute(f"{_RUNS} ORDER BY number DESC LIMIT 1").fetchall()
        if not rows:
            raise NoSuchRun("no runs are recorded here yet")
    else:
        like = f"{wanted}%" if wanted.isalnum() else ""
        rows = database.execute(f"{_RUNS} WHERE id LIKE ? ORDER BY number DESC", (like,)).fetchall()
    if not rows:
        raise NoSuchRun(f'no run "{wanted}" is recorded here; onbook runs list shows those that are')
    if len(rows) > 1:
        raise NoSuchRun(f'run "{wanted}" is ambiguous: {", ".join(row[1] for row in rows[:3])}')
    return _run(database, rows[0])


def instances_of(database: sqlite3.Connection, run: Run) -> list[Instance]:
    """What ended in the run, each instance as it ended last: a step before what is inside it, siblings in order."""
    found = database.execute("SELECT number FROM runs WHERE id = ?", (run.id,)).fetchone()
    if found is None:
        raise NoSuchRun(f"run {run.id} is no longer recorded")
    rows = database.execute(
        "SELECT address, outcome, seconds, size, finished, cost, error FROM instances "
        "WHERE number BETWEEN ? AND ? AND address <> ? ORDER BY number",
        (*span(found[0]), GIVEN),
    )
    latest = {row[0]: Instance(*msgspec.convert(row, _INSTANCE_ROW)) for row in rows}
    return _in_order(latest)


def lost_seconds(database: sqlite3.Connection, number: int) -> float:
    """How long a run that was killed had been at work, up to the last thing that it wrote down."""
    found = database.execute(_LOST, (*span(number), number)).fetchone()
    return max(0.0, found[0] or 0.0) if found else 0.0


def _run(database: sqlite3.Connection, row: tuple[Any, ...]) -> Run:
    number, run, kind, name, definition, role, config, call, steps, started, began, seconds, outcome, error, process = (
        msgspec.convert(row, _RUN_ROW)
    )
    instances, touched, cost = database.execute(_TOTALS, (*span(number), GIVEN)).fetchone()
    done = steps if outcome == Outcome.PASSED.value else touched - (not _is_whole(database, number))
    if outcome is None:
        is_on = is_running(process)
        outcome = RUNNING if is_on else INTERRUPTED
        seconds += max(0.0, time.time() - began) if is_on else lost_seconds(database, number)
    told = (run, kind, name, started, outcome, done, steps, seconds, instances, cost, role, config, definition, error)
    return Run(*told, call)


def _is_whole(database: sqlite3.Connection, number: int) -> bool:
    """Whether the step of the top level that was last at work has passed, as far as one can tell: those with others
    inside write nothing down when they end."""
    last = database.execute(_LAST, span(number)).fetchone() or (GIVEN, "")
    address, outcome = msgspec.convert(last, tuple[str, str])
    return address == GIVEN or (outcome == Outcome.PASSED.value and "/" not in address)


def _in_order(found: Mapping[str, Instance]) -> list[Instance]:
    """By place in the tree. Items and rounds have numbers; steps beside each other come as they began."""
    began: dict[str, float] = {}
    for each in found.values():
        for place in _places(each.address):
            began[place] = min(each.finished - each.seconds, began.get(place, float("inf")))

    def key(each: Instance) -> list[tuple[int, float, str]]:
        return [(_number(place), began[place], place) for place in _places(each.address)]

    return sorted(found.values(), key=key)


def _places(address: str) -> Iterator[str]:
    """`a`, `a/each[2]`, `a/each[2]/b`: the address itself and everything around it, from the outside."""
    parts = address.split("/")
    return ("/".join(parts[: length + 1]) for length in range(len(parts)))


def _number(place: str) -> int:
    _, _, number = place.removesuffix("]").rpartition("[")
    return int(number) if place.endswith("]") and number.isdecimal() else 0
