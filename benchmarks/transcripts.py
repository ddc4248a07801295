"""A long record: reading it back, and adding to it."""

import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Contender, Row, take_turns
from benchmarks.lab import Lab
from benchmarks.material import turns
from onbook.transcript.recorder import Cast, Recorder
from onbook.transcript.turns import Turn

MEGABYTES = 20
LOADS = 5
"""In a sample, so that both samples take about as long and meet the same neighbours."""
CAST = Cast(agent="Harvey", user="ada")
EARLY, LATE = 10, 10_000
APPENDED = 20
"""Turns in a sample: one alone is too short for the clock."""


def read(lab: Lab) -> list[Row]:
    """20 MB as our own recorder writes them: all turns loaded here, the elements parsed there."""
    path = _recording(lab.scratch / "read")
    with (
        lab.worker(lab.ours, "load", str(path)) as ours,
        lab.worker(lab.peers, "screenplain_parse", str(path)) as peer,
    ):
        contenders = {"load, 20 MB": lambda: ours.cost(LOADS), "screenplain": peer.cost}
        costs = take_turns(contenders, rounds=5, warm_up=0)
    return [costs.row("read", "load, 20 MB", "screenplain", target=0.1, kind="cpu")]


def append(lab: Lab) -> list[Row]:
    """A turn added to a session of ten against the same turn added to one of ten thousand."""
    supply = turns()
    sample = [next(supply) for _ in range(APPENDED)]
    with Recorder.create(lab.scratch / "append", CAST) as long:
        _record(long, supply, LATE)
        late, early = f"turn {LATE:,}", f"turn {EARLY}"
        contenders: dict[str, Contender] = {
            late: lambda: _append_cost(long, sample),
            early: lambda: _early_cost(lab.scratch / "append", supply, sample),
        }
        costs = take_turns(contenders, rounds=60, warm_up=5)
    return [costs.row("append", late, early, target=1.25, kind="cpu")]


def _recording(folder: Path) -> Path:
    with Recorder.create(folder, CAST) as recorder:
        supply = turns()
        recorder.record(next(supply))
        while recorder.path.stat().st_size < MEGABYTES * 1_000_000:
            _record(recorder, supply, 50)
    return recorder.path


def _record(recorder: Recorder, supply: Iterator[Turn], count: int) -> None:
    for _ in range(count):
        recorder.record(next(supply))


def _early_cost(folder: Path, supply: Iterator[Turn], sample: list[Turn]) -> float:
    with Recorder.create(folder, CAST) as recorder:
        _record(recorder, supply, EARLY)
        return _append_cost(recorder, sample)


def _append_cost(recorder: Recorder, sample: list[Turn]) -> float:
    began = time.process_time()
    for turn in sample:
        recorder.record(turn)
    return (time.process_time() - began) / len(sample)
