"""How sure models were in what is recorded: by model, and by how it was found out."""

from collections.abc import Iterable, Iterator
from statistics import fmean, median

import msgspec

from onbook.transcript.history import Session
from onbook.transcript.steps import Step

METHODS = ("block", "follow-up", "wording", "logprobs", "samples")
"""In the order in which they are tried."""


class Scores(msgspec.Struct, frozen=True):
    """The readings of one model by one method."""

    model: str
    method: str
    steps: int
    mean: float
    median: float
    lowest: float
    below: float | None
    """Share of the steps that were below their threshold; None where none had one."""
    scores: tuple[float, ...]
    """In the order they were recorded."""


def report_of(sessions: Iterable[Session]) -> tuple[Scores, ...]:
    """Every step that a model was asked in. What was taken from a journal was asked, and counted, before."""
    groups: dict[tuple[str, str], list[Step]] = {}
    for step in _steps_in(sessions):
        if step.reading is not None and not step.reused:
            groups.setdefault((step.model, step.reading.method), []).append(step)
    return tuple(_scores(*group, groups[group]) for group in sorted(groups, key=_place))


def _steps_in(sessions: Iterable[Session]) -> Iterator[Step]:
    """One session at a time, for together they may be large; one that was named twice counts once."""
    seen = set()
    for session in sessions:
        if session.path.resolve() not in seen:
            seen.add(session.path.resolve())
            yield from session.steps


def _place(group: tuple[str, str]) -> tuple[str, int, str]:
    model, method = group
    return model, METHODS.index(method) if method in METHODS else len(METHODS), method


def _scores(model: str, method: str, steps: list[Step]) -> Scores:
    measured = [(step.reading.score, step.threshold) for step in steps if step.reading is not None]
    scores = [score for score, _ in measured]
    missed = [score < threshold for score, threshold in measured if threshold is not None]
    below = fmean(missed) if missed else None
    return Scores(model, method, len(scores), fmean(scores), median(scores), min(scores), below, tuple(scores))
