"""Carries one answer of the script over one connection, in the protocol of the request."""

from collections.abc import Iterable, Iterator

from .connection import Connection, HangUpError
from .faults import (
    Answer,
    CleanEndWithoutFinish,
    Cut,
    ErrorInStream,
    Fault,
    Garbage,
    Raw,
    Refuse,
    SlowFirstByte,
    Stall,
    Status,
)
from .replies import Reply
from .request import Request
from .wires import Wire, as_error, dump

JSON = {"Content-Type": "application/json"}


def deliver(answer: Answer, request: Request, wire: Wire, connection: Connection) -> None:
    match answer:
        case Refuse():
            raise HangUpError(reset=answer.reset)
        case Raw():
            _send_raw(answer, connection)
        case Status():
            send_status(answer, connection)
        case SlowFirstByte():
            if answer.headers_first and request.streams:
                connection.start_stream(wire.stream_type)
            connection.wait(answer.seconds)
            deliver(answer.then, request, wire, connection)
        case _ if request.streams:
            _stream(answer, request, wire, connection)
        case _:
            _send_whole(answer, request, wire, connection)


def send_status(status: Status, connection: Connection) -> None:
    if isinstance(status.body, bytes | str):
        body = status.body.encode() if isinstance(status.body, str) else status.body
        kind = {"Content-Type": "text/plain; charset=utf-8"}
    else:
        body, kind = (b"" if status.body is None else dump(status.body)), JSON
    connection.send_whole(status.code, {**kind, **status.headers}, body)


def _send_raw(answer: Raw, connection: Connection) -> None:
    connection.send(answer.data)
    while answer.again:
        connection.send(answer.again)
    if answer.stays:
        connection.wait()
    raise HangUpError


def _stream(answer: Reply | Fault, request: Request, wire: Wire, connection: Connection) -> None:
    reply = answer if isinstance(answer, Reply) else _reply_of(answer)
    frames = wire.frames(reply, request)
    after = getattr(answer, "after_chunks", 0)
    shown, rest = (*frames.opening, *frames.content[:after]), (*frames.content[after:], *frames.ending)

    def write(*events: bytes) -> None:
        connection.start_stream(wire.stream_type)
        for place, chunk in enumerate(_chunks(events, reply.cut_every)):
            if place and reply.delay:
                connection.wait(reply.delay)
            connection.send_chunk(chunk)

    match answer:
        case Stall():
            write(*shown)
            connection.wait()
        case Cut():
            write(*shown, *([rest[0][: len(rest[0]) // 2]] if answer.inside else []))
            raise HangUpError(reset=answer.reset)
        case CleanEndWithoutFinish():
            write(*frames.opening, *frames.content)
        case Garbage():
            write(*shown, answer.data, *rest)
        case ErrorInStream():
            write(*shown, wire.error_frame(answer.error))
        case _:
            write(*shown, *rest)
    connection.end_stream()


def _send_whole(answer: Reply | Fault, request: Request, wire: Wire, connection: Connection) -> None:
    """The same faults when nothing is streamed: half a body, rubbish for one, an error as a 200."""
    reply = answer if isinstance(answer, Reply) else _reply_of(answer)
    body = dump(wire.whole(reply, request, not isinstance(answer, CleanEndWithoutFinish)))
    match answer:
        case Stall() | Cut():
            promised = {**JSON, "Content-Length": str(len(body))}
            connection.send_whole(200, promised, body[: len(body) // 2])
            if isinstance(answer, Stall):
                connection.wait()
            raise HangUpError(reset=isinstance(answer, Cut) and answer.reset)
        case Garbage():
            connection.send_whole(200, JSON, answer.data)
        case ErrorInStream():
            connection.send_whole(200, JSON, dump(as_error(answer.error)))
        case _ if reply.cut_every or reply.delay:
            connection.start_stream("application/json")
            for place, chunk in enumerate(_chunks([body], reply.cut_every)):
                if place:
                    connection.wait(reply.delay)
                connection.send_chunk(chunk)
            connection.end_stream()
        case _:
            connection.send_whole(200, JSON, body)


def _reply_of(fault: Fault) -> Reply:
    """The reply a fault spoils."""
    if isinstance(fault, Stall | Cut | CleanEndWithoutFinish | Garbage | ErrorInStream):
        return fault.reply
    raise TypeError(f"{fault} says nothing")


def _chunks(events: Iterable[bytes], cut_every: int | None) -> Iterator[bytes]:
    if cut_every is None:
        yield from events
        return
    wire = b"".join(events)
    for start in range(0, len(wire), cut_every):
        yield wire[start : start + cut_every]
