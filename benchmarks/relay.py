"""A relay in front of a model server that knows when each word of interest went out to the client."""

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread


class Relay(ThreadingTCPServer):
    """Passes bytes on, both ways, a connection behind for each in front."""

    daemon_threads = True

    def __init__(self, behind: int, word: re.Pattern[bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _PassOn)
        self.behind = behind
        self.word = word
        self.sent: dict[bytes, float] = {}
        """When each word was sent, by `time.perf_counter`."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def open_relay(behind: int, word: re.Pattern[bytes]) -> Iterator[Relay]:
    """A relay to this port, until the block ends."""
    with Relay(behind, word) as relay:
        Thread(target=relay.serve_forever, daemon=True).start()
        yield relay
        relay.shutdown()


class _PassOn(BaseRequestHandler):
    server: Relay
    request: socket.socket

    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.behind)) as model, suppress(OSError):
            for end in (self.request, model):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            Thread(target=self._ask, args=(model,), daemon=True).start()
            for data in iter(lambda: model.recv(65536), b""):
                now = time.perf_counter()  # before the bytes leave: what sending takes counts too
                self.server.sent |= dict.fromkeys(self.server.word.findall(data), now)
                self.request.sendall(data)

    def _ask(self, model: socket.socket) -> None:
        with suppress(OSError):  # either side may have left
            for data in iter(lambda: self.request.recv(65536), b""):
                model.sendall(data)
            model.shutdown(socket.SHUT_WR)
