"""The one way out for the events of a session, where a runner can stand for a while to hear how a line ends."""

from collections.abc import Iterator
from contextlib import contextmanager

from onbook.events import AnyEvent, Sink


class Outlet:
    """A sink. Events go straight on, unless somebody takes them, who then passes on what is worth it."""

    def __init__(self, sink: Sink) -> None:
        self.pass_on = sink
        """Past whoever takes events at the moment."""
        self._taker: Sink | None = None

    def __call__(self, event: AnyEvent) -> None:
        (self._taker or self.pass_on)(event)

    @contextmanager
    def taken_by(self, taker: Sink) -> Iterator[None]:
        """Inside, `taker` gets every event in place of the sink."""
        before, self._taker = self._taker, taker
        try:
            yield
        finally:
            self._taker = before
