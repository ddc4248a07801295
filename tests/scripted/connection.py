"""HTTP/1.1 over one accepted socket, written by hand so that every boundary on the wire is a choice."""

import http
import json
import select
import socket
import struct
import time
from collections.abc import Mapping
from threading import Event
from typing import Any

from .request import Request


class ClientLeftError(Exception):
    """The client closed the connection before its answer was complete."""


class HangUpError(Exception):
    """The script wants the connection closed now."""

    def __init__(self, *, reset: bool = False) -> None:
        self.reset = reset


class Connection:
    """One client's connection: reads requests one after the other, writes what it is told to."""

    def __init__(self, sock: socket.socket, stopping: Event) -> None:
        self._sock = sock
        self._set(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._stopping = stopping
        self._buffer = b""
        self._streaming = False

    def read_request(self) -> Request | None:
        """The next request, or None when the client has no more."""
        try:
            head = self._read_until(b"\r\n\r\n")
            start, *lines = head.decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            if headers.get("expect", "").lower() == "100-continue":
                self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            raw = self._read_body(headers)
        except (OSError, EOFError, ClientLeftError):
            return None
        method, target, _ = start.split(" ", 2)
        path, _, query = target.partition("?")
        return Request(method, path, headers, _parsed(raw), raw, query)

    def send(self, data: bytes) -> None:
        try:
            self._sock.sendall(data)
        except OSError as gone:
            raise self._end() from gone

    def send_whole(self, code: int, headers: Mapping[str, str], body: bytes) -> None:
        """Head and body in one write. The body may be shorter than the Content-Length a fault promises."""
        length = {} if "Content-Length" in headers else {"Content-Length": str(len(body))}
        self.send(_head(code, {**headers, **length}) + body)

    def start_stream(self, content_type: str) -> None:
        """The head of a chunked answer; once is enough."""
        if not self._streaming:
            self._streaming = True
            kind = {"Content-Type": content_type, "Cache-Control": "no-cache", "Transfer-Encoding": "chunked"}
            self.send(_head(200, kind))

    def send_chunk(self, data: bytes) -> None:
        """One HTTP chunk, one write."""
        self.send(b"%x\r\n%b\r\n" % (len(data), data))

    def end_stream(self) -> None:
        self.send(b"0\r\n\r\n")
        self._streaming = False

    def wait(self, seconds: float | None = None) -> None:
        """Waits, for ever when no time is given; ends at once when the client leaves or the server stops."""
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        deadline = None if seconds is None else time.monotonic() + seconds
        try:
            if poll.poll(seconds and seconds * 1000) and not self._sock.recv(1, socket.MSG_PEEK):
                raise self._end()
        except OSError as gone:
            raise self._end() from gone
        # Only a client that sends ahead gets here with time left: its next request has to wait.
        if self._stopping.wait(None if deadline is None else max(0.0, deadline - time.monotonic())):
            raise HangUpError

    def close(self, *, reset: bool = False) -> None:
        if reset:  # a linger of zero seconds turns the close into a TCP reset
            self._set(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sock.close()

    def shut_down(self) -> None:
        """Called by the stopping server from its own thread: wakes whoever waits here."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def _set(self, level: int, option: int, value: int | bytes) -> None:
        try:
            self._sock.setsockopt(level, option, value)
        except OSError:  # macOS refuses on a socket whose client has already gone
            pass

    def _end(self) -> Exception:
        return HangUpError() if self._stopping.is_set() else ClientLeftError()

    def _read_until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._fill()
        found, _, self._buffer = self._buffer.partition(mark)
        return found

    def _read_exactly(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._fill()
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def _fill(self) -> None:
        data = self._sock.recv(65536)
        if not data:
            raise EOFError
        self._buffer += data

    def _read_body(self, headers: Mapping[str, str]) -> bytes:
        if headers.get("transfer-encoding", "").lower() != "chunked":
            return self._read_exactly(int(headers.get("content-length", 0)))
        body = b""
        while size := int(self._read_until(b"\r\n").split(b";")[0], 16):
            body += self._read_exactly(size)
            self._read_exactly(2)
        self._read_until(b"\r\n")
        return body


def _head(code: int, headers: Mapping[str, str]) -> bytes:
    reason = _REASONS.get(code, "Scripted")
    lines = (f"HTTP/1.1 {code} {reason}", *(f"{name}: {value}" for name, value in headers.items()), "", "")
    return "\r\n".join(lines).encode("latin-1")


_REASONS = {status.value: status.phrase for status in http.HTTPStatus}


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return None
