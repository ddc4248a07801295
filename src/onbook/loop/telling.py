"""What a loop tells of itself: its beginning, its iterations as steps, its end. What they say are runs of their own."""

import os
import time

from onbook.events import Note, RunFinished, RunStarted, Sink, StepFinished, StepStarted, Totals
from onbook.loop.plan import Plan
from onbook.outcome import Outcome


class LoopTelling:
    """The one who emits, under the loop's own id."""

    def __init__(self, emit: Sink, plan: Plan) -> None:
        self._emit = emit
        self._plan = plan
        self._run = os.urandom(4).hex()
        self._began = self._began_iteration = time.monotonic()

    def started(self, typed: str, workspace: str) -> None:
        self._emit(
            RunStarted(
                run=self._run,
                time=time.time(),
                kind="loop",
                input=typed,
                workspace=workspace,
                name=self._plan.announcement,
            )
        )

    def iteration_started(self, number: int) -> None:
        self._began_iteration = time.monotonic()
        self._emit(
            StepStarted(
                run=self._run,
                time=time.time(),
                address=_address(number),
                name=f"iteration {number}",
                kind="round",
                index=number,
                total=self._plan.count,
            )
        )

    def iteration_finished(self, number: int, outcome: Outcome) -> None:
        seconds = time.monotonic() - self._began_iteration
        self._emit(
            StepFinished(
                run=self._run, time=time.time(), address=_address(number), outcome=outcome.value, seconds=seconds
            )
        )

    def note(self, text: str, level: str = "info") -> None:
        self._emit(Note(run=self._run, time=time.time(), text=text, level=level))

    def finished(self, outcome: Outcome, running: Totals, *, reason: str = "", error: str = "") -> None:
        self._emit(
            RunFinished(
                run=self._run,
                time=time.time(),
                outcome=outcome.value,
                exit_code=outcome.exit_code,
                error=error,
                finish_reason=reason,
                totals=Totals(seconds=time.monotonic() - self._began),
                running=running,
            )
        )


def _address(number: int) -> str:
    return f"iteration[{number}]"
