"""One instance of a step while it lasts: it says that it begins and how it ends."""

import asyncio
import time
from typing import Self

from onbook.events import Reading, StepFinished, StepStarted
from onbook.flow.data import Data
from onbook.flow.world import BelowThreshold, StepFailed, World
from onbook.outcome import OnbookError, Outcome


class Instance:
    """`with` it around the work, and give it the output."""

    __slots__ = (
        *("_began", "_index", "_kind", "_name", "_total", "_world"),
        *("address", "detail", "model", "output", "reading", "reused", "threshold"),
    )

    def __init__(self, world: World, address: str, name: str, kind: str, index: int, total: int) -> None:
        self._world = world
        self.address = address
        self._name = name
        self._kind = kind
        self._index = index
        self._total = total
        self.output: Data | None = None
        self.reused = False
        self.detail = ""
        self.reading: Reading | None = None
        self.threshold: float | None = None
        self.model = ""

    def __enter__(self) -> Self:
        self._world.emit(
            StepStarted(
                run=self._world.run,
                time=time.time(),
                address=self.address,
                name=self._name,
                kind=self._kind,
                index=self._index,
                total=self._total,
            )
        )
        self._began = time.monotonic()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._world.emit(
            StepFinished(
                run=self._world.run,
                time=time.time(),
                address=self.address,
                outcome=_outcome(error).value,
                seconds=time.monotonic() - self._began,
                bytes=self.output.size if self.output is not None else 0,
                error=_reason(error, self.address),
                reused=self.reused,
                detail=_detail(error, self.address) or self.detail,
                reading=self.reading,
                threshold=self.threshold,
                model=self.model,
            )
        )


def _outcome(error: BaseException | None) -> Outcome:
    if error is None:
        return Outcome.PASSED
    if isinstance(error, asyncio.CancelledError):
        return Outcome.CANCELLED
    return error.outcome if isinstance(error, OnbookError) else Outcome.FAILED


def _reason(error: BaseException | None, address: str) -> str:
    """Why, without the address where it is the instance's own."""
    if isinstance(error, StepFailed | BelowThreshold) and error.address == address:
        return error.reason
    return str(error) if isinstance(error, OnbookError) else ""


def _detail(error: BaseException | None, address: str) -> str:
    return error.stderr if isinstance(error, StepFailed) and error.address == address else ""
