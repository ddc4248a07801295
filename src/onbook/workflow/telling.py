"""A step of the workflow's run, told: that it begins, and whatever happens in it, how it has ended."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from onbook.events import StepFinished, StepStarted
from onbook.outcome import OnbookError, Outcome
from onbook.workflow.work import Work


@dataclass
class Step:
    """A phase, an agent or a check that is under way, and what is to be told of it when it is over."""

    address: str
    outcome: Outcome = Outcome.PASSED
    """How it ends, unless it is interrupted."""
    error: str = ""
    detail: str = ""
    bytes: int = 0
    reused: bool = False


@contextmanager
def told_step(
    work: Work, address: str, name: str, kind: Literal["phase", "agent", "check"], place: tuple[int, int] = (0, 0)
) -> Iterator[Step]:
    """The step while it lasts; `place` is which of its siblings it is, and how many there are."""
    step, began = Step(address), time.monotonic()
    index, total = place
    work.live.emit(
        StepStarted(run=work.run, time=time.time(), address=address, name=name, kind=kind, index=index, total=total)
    )
    try:
        yield step
    except BaseException as problem:
        step.outcome, step.error = _interrupted(problem)
        raise
    finally:
        work.live.emit(
            StepFinished(
                run=work.run,
                time=time.time(),
                address=address,
                outcome=step.outcome.value,
                seconds=time.monotonic() - began,
                bytes=step.bytes,
                error=step.error,
                reused=step.reused,
                detail=step.detail,
            )
        )


def _interrupted(problem: BaseException) -> tuple[Outcome, str]:
    if isinstance(problem, OnbookError):
        return problem.outcome, str(problem)
    return (Outcome.CANCELLED if isinstance(problem, asyncio.CancelledError) else Outcome.FAILED), ""
