"""A streamed answer, whatever its protocol: events in, deltas out, complete or an error."""

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Protocol

from onbook.models.errors import MalformedStream
from onbook.models.http import Wire, pieces_of
from onbook.models.messages import Delta
from onbook.models.retry import with_retries
from onbook.models.sse import EventStream


class Reader(Protocol):
    """A protocol's own part: the meaning of one event's data."""

    finished: bool
    """Whether the protocol's finish marker has been seen."""

    def read(self, data: bytes) -> Iterable[Delta]: ...

    def close(self) -> Iterable[Delta]:
        """What was held back until the end."""
        ...


def stream_answer(
    wire: Wire, path: str, body: object, make_reader: Callable[[], Reader]
) -> AsyncGenerator[Delta, None]:
    """The answer to one POST, tried again while nothing has been said."""
    return with_retries(lambda: _attempt(wire, path, body, make_reader()))


async def _attempt(wire: Wire, path: str, body: object, reader: Reader) -> AsyncGenerator[Delta, None]:
    events = EventStream()
    async with wire.stream(path, body) as response:
        try:
            async for chunk in pieces_of(response):
                for data in events.feed(chunk):
                    for delta in reader.read(data):
                        yield delta
            for data in events.flush():
                for delta in reader.read(data):
                    yield delta
        except Exception:
            # A line that breaks after the finish marker has broken nothing.
            if not reader.finished:
                raise
    if not reader.finished:
        # An SDK would hand this over as a whole answer.
        raise MalformedStream(wire.name, "the stream ended without its finish marker; the answer is cut off")
    for delta in reader.close():
        yield delta
