"""A streamed answer, whatever its protocol: events in, deltas out, complete or an error."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
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
    events, size = EventStream(), 0
    async with wire.stream(path, body) as response:
        chunks = pieces_of(response)
        try:
            async for chunk in chunks:
                for delta in _heard(events.feed(chunk), reader):
                    yield delta
                if reader.finished:
                    break
                size += len(chunk)
                _check_size(wire.name, size, events.waiting)
            for delta in _heard((*events.feed(await _what_follows(chunks)), *events.flush()), reader):
                yield delta
        except Exception:
            # What breaks after the finish marker has broken nothing.
            if not reader.finished:
                raise
    if not reader.finished:
        # An SDK would hand this over as a whole answer.
        raise MalformedStream(wire.name, "the stream ended without its finish marker; the answer is cut off")
    for delta in reader.close():
        yield delta


def _heard(events: Iterable[bytes], reader: Reader) -> Iterator[Delta]:
    for data in events:
        yield from reader.read(data)


def _check_size(name: str, size: int, waiting: int) -> None:
    """A server that does not stop is told from one that has much to say."""
    if size > LONGEST_ANSWER:
        raise too_much(name, "an answer", LONGEST_ANSWER)
    if waiting > LONGEST_EVENT:
        raise too_much(name, "an event of the answer", LONGEST_EVENT)


async def _what_follows(chunks: AsyncIterator[bytes]) -> bytes:
    """What still comes in a moment, up to where the line breaks or the server hangs up."""
    found = bytearray()
    with suppress(Exception):
        async with asyncio.timeout(AFTER_THE_END):
            async for chunk in chunks:
                found += chunk
                if len(found) > LONGEST_EVENT:
                    break
    return bytes(found)
