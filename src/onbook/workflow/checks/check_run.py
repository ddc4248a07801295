"""A command of Layer 1 while it runs: a step inside its phase, and what it says as it says it."""

import asyncio
import codecs
import time
from types import TracebackType
from typing import Self

from onbook.events import StepFinished, StepStarted, TextDelta
from onbook.outcome import Outcome
from onbook.policy.process import Ran
from onbook.session.programs import process_finished
from onbook.workflow.work import Work


class CheckRun:
    """`with CheckRun(work, "verify/test", "pytest -q") as telling:` whatever happens inside, its end is told."""

    def __init__(self, work: Work, address: str, command: str) -> None:
        self._work = work
        self._address = address
        self._command = command
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._began = time.monotonic()
        self._outcome = Outcome.FAILED
        self._detail = ""

    def __enter__(self) -> Self:
        self._work.live.emit(
            StepStarted(run=self._work.run, time=time.time(), address=self._address, name=self._command, kind="check")
        )
        return self

    def heard(self, piece: bytes) -> None:
        """The command says something."""
        if text := self._decoder.decode(piece):
            self._work.live.emit(TextDelta(run=self._work.run, time=time.time(), text=text))

    def ended(self, ran: Ran, output: str) -> None:
        """The command has ended; `output` is what is kept of it."""
        self._work.live.emit(process_finished(self._work.run, self._command, output, ran))

    def judged(self, detail: str, *, failed: bool) -> None:
        """What came of it."""
        self._outcome, self._detail = Outcome.FAILED if failed else Outcome.PASSED, detail

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        outcome = Outcome.CANCELLED if isinstance(problem, asyncio.CancelledError) else self._outcome
        self._work.live.emit(
            StepFinished(
                run=self._work.run,
                time=time.time(),
                address=self._address,
                outcome=outcome.value,
                seconds=time.monotonic() - self._began,
                detail=self._detail,
            )
        )
