"""An agent as a step of the workflow's run: when it goes, when it is back, what it said."""

import time

from onbook.events import StepFinished, StepStarted
from onbook.outcome import Outcome
from onbook.workflow.state.state import Dispatch
from onbook.workflow.work import Errand, Work


class StepTelling:
    """Tells of the step when it begins and when it is over."""

    def __init__(self, work: Work, errand: Errand, address: str) -> None:
        self._work = work
        self._errand = errand
        self._address = address
        self._began = time.monotonic()

    def started(self, place: tuple[int, int]) -> None:
        index, total = place
        self._work.live.emit(
            StepStarted(
                run=self._work.run,
                time=time.time(),
                address=self._address,
                name=self._errand.persona,
                kind="agent",
                index=index,
                total=total,
            )
        )

    def finished(self, outcome: Outcome, error: str, dispatch: Dispatch | None, *, reused: bool) -> None:
        path = self._work.root / self._errand.artefact
        self._work.live.emit(
            StepFinished(
                run=self._work.run,
                time=time.time(),
                address=self._address,
                outcome=outcome.value,
                seconds=time.monotonic() - self._began,
                bytes=path.stat().st_size if self._errand.artefact and path.is_file() else 0,
                error=error,
                reused=reused,
                detail=dispatch.said if dispatch is not None else "",
            )
        )
