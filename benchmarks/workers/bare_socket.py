"""The model's own time: the chain's five requests, ready to send, and a socket that is read until each reply ends."""

import json
import socket
import sys
from urllib.parse import urlsplit

from benchmarks.workers.chain import MODEL, PROMPTS, SYSTEM, asked
from benchmarks.workers.report import WORDS, report_wall

_END = b"data: [DONE]\n\n\r\n0\r\n\r\n"


def main(url: str, key: str) -> None:
    host, port = urlsplit(url).hostname, urlsplit(url).port
    replies = ["", *[" ".join(WORDS)] * (len(PROMPTS) - 1)]
    requests = [_request(asked(*step), key) for step in zip(replies, PROMPTS.values(), strict=True)]
    with socket.create_connection((host, port)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def chain() -> None:
            for request in requests:
                connection.sendall(request)
                _read_reply(connection)

        report_wall(chain)


def _read_reply(connection: socket.socket) -> None:
    ending = b""
    while not ending.endswith(_END):
        piece = connection.recv(65536)
        if not piece:
            raise RuntimeError(f"the reply broke off: {ending!r}")
        ending = ending[-len(_END) :] + piece


def _request(text: str, key: str) -> bytes:
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    body = json.dumps({"model": MODEL, "messages": messages, **options}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


if __name__ == "__main__":
    main(*sys.argv[1:])
