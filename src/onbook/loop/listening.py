"""Listening to one iteration: what it says in the end, and, where only a change is worth showing, holding it back."""

import time
from contextlib import suppress

from onbook.events import AnyEvent, ConfidenceRead, Note, RunFinished, RunStarted
from onbook.outcome import OnbookError
from onbook.session.outlet import Outlet


class Iteration:
    """The events of one iteration on their way out; `hold` keeps them until it is known whether they matter."""

    def __init__(self, outlet: Outlet, *, hold: bool) -> None:
        self._pass_on = outlet.pass_on
        self._held: list[AnyEvent] | None = [] if hold else None
        self._open: set[str] = set()
        self._inside = ""
        self._last: RunFinished | None = None
        self.reading: ConfidenceRead | None = None
        """How sure the model was, where it was asked."""
        self.lost: OnbookError | None = None
        """Why what it says cannot be shown any more."""

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, RunStarted):
            self._open.add(event.run)
        elif isinstance(event, RunFinished):
            self._finished(event)
        elif isinstance(event, ConfidenceRead):
            self.reading = event
        if self._held is None or not event.run:  # what belongs to no run is no part of the iteration
            self._let_out(event)
        else:
            self._held.append(event)

    @property
    def output(self) -> str:
        """What it gave: the reply, what a program or a command said, or the result of the flow that it ran."""
        return (self._last.text or self._inside) if self._last else ""

    @property
    def error(self) -> str:
        return self._last.error if self._last else ""

    def remark(self, text: str) -> None:
        """Say something as a part of the iteration, where it has not been shown yet: before its end."""
        if self._held and self._last is not None:
            self._held.insert(-1, Note(run=self._last.run, time=time.time(), text=text))

    def show(self) -> None:
        """Let go of what was held back."""
        held, self._held = self._held or [], None
        with suppress(OnbookError):  # which `lost` keeps
            for event in held:
                self._let_out(event)

    def _let_out(self, event: AnyEvent) -> None:
        try:
            self._pass_on(event)
        except OnbookError as error:
            self.lost = error
            raise

    def _finished(self, event: RunFinished) -> None:
        self._open.discard(event.run)
        if self._open:
            self._inside = event.text or self._inside
        else:
            self._last = event
