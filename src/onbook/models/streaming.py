"""A streamed answer, whatever its protocol: events in, deltas out, complete or an error."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from typing import Protocol

from onbook.models.errors import MalformedStream
from onbook.models.http import Wire, pieces_of, too_much
from onbook.models.messages import Delta
from onbook.models.retry import with_retries
from onbook.models.sse import EventStream

LONGEST_EVENT = 16 << 20
"""Bytes of one event: a tool call that writes a large file is one."""
LONGEST_ANSWER = 64 << 20
"""Bytes of a whole answer: some 200,000 tokens as servers send them. One that is longer has no end."""
AFTER_THE_END = 2.0
"""Seconds for what may follow the finish marker (the count of tokens); some servers never hang up."""


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
    hearing = _Hearing(wire.name, reader)
    async with wire.stream(path, body) as response:
        try:
            async for chunk in _until_the_end(pieces_of(response), reader):
                for delta in hearing.take(chunk):
                    yield delta
            for delta in hearing.rest():
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


class _Hearing:
    """Bytes in, deltas out, up to a size that no answer has."""

    def __init__(self, name: str, reader: Reader) -> None:
        self._name = name
        self._reader = reader
        self._events = EventStream()
        self._size = 0

    def take(self, chunk: bytes) -> Iterator[Delta]:
        self._size += len(chunk)
        for data in self._events.feed(chunk):
            yield from self._reader.read(data)
        if self._size > LONGEST_ANSWER:
            raise too_much(self._name, "an answer", LONGEST_ANSWER)
        if self._events.waiting > LONGEST_EVENT:
            raise too_much(self._name, "an event of the answer", LONGEST_EVENT)

    def rest(self) -> Iterator[Delta]:
        for data in self._events.flush():
            yield from self._reader.read(data)


async def _until_the_end(chunks: AsyncIterator[bytes], reader: Reader) -> AsyncIterator[bytes]:
    """All chunks; after the finish marker only what still comes in a moment."""
    async for chunk in chunks:
        yield chunk
        if reader.finished:
            break
    over = asyncio.get_running_loop().time() + AFTER_THE_END
    while True:
        try:
            async with asyncio.timeout_at(over):
                chunk = await anext(chunks)
        except (StopAsyncIteration, TimeoutError):
            return
        yield chunk
