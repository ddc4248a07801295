"""The model's own time: the chain's five requests, sent by a socket that is read until each reply ends."""

import json
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from benchmarks.workers.chain import MODEL, PROMPTS, SYSTEM, asked
from benchmarks.workers.report import WORDS, report_times

_END = b"data: [DONE]\n\n\r\n0\r\n\r\n"


def main(url: str, key: str) -> None:
    requests = chain_of(key)
    with connected(url) as connection:
        report_times(lambda: run(requests, connection, lambda _: None))


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    with socket.create_connection((urlsplit(url).hostname, urlsplit(url).port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection


def chain_of(key: str) -> list[bytes]:
    """The five requests, ready to send."""
    replies = ["", *[" ".join(WORDS)] * (len(PROMPTS) - 1)]
    return [_request(asked(*step), key) for step in zip(replies, PROMPTS.values(), strict=True)]


def run(requests: Iterable[bytes], connection: socket.socket, show: Callable[[bytes], object]) -> None:
    """One after the other; every piece of a reply is shown as it comes."""
    for request in requests:
        connection.sendall(request)
        _read_reply(connection, show)


def _read_reply(connection: socket.socket, show: Callable[[bytes], object]) -> None:
    ending = b""
    while not ending.endswith(_END):
        piece = connection.recv(65536)
        if not piece:
            raise RuntimeError(f"the reply broke off: {ending!r}")
        show(piece)
        ending = ending[-len(_END) :] + piece


def _request(text: str, key: str) -> bytes:
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    body = json.dumps({"model": MODEL, "messages": messages, **options}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


if __name__ == "__main__":
    main(*sys.argv[1:])
