"""A streamed answer, whatever its protocol: events in, deltas out, complete or an error."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from onbook.models.errors import MalformedStream
from onbook.models.http import Wire
from onbook.models.messages import Delta
from onbook.models.retry import with_retries
from onbook.models.sse import EventStream

if TYPE_CHECKING:
    import httpx2


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
            async for chunk in _pieces(response):
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


def _pieces(response: "httpx2.Response") -> AsyncIterator[bytes]:
    """The body as it comes in; past the decoders of httpx2 where nothing was encoded, as by every local server."""
    return response.aiter_bytes() if "content-encoding" in response.headers else response.aiter_raw()
