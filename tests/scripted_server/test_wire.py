"""How the scripted server's bytes travel: chunks, cuts, waits, connections."""

import json
import socket
import time
from typing import Any

import httpx2
import pytest

from tests.scripted import Reply, ScriptedServer
from tests.scripted_server.plain_client import CHATS, HELLO, STREAMED, text_of


def raw_answer(server: ScriptedServer, body: dict[str, Any], path: str = CHATS[0]) -> bytes:
    """Every byte the server sends for one request, up to its closing the connection."""
    data = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(data)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        sock.sendall(head.encode() + data)
        return b"".join(iter(lambda: sock.recv(65536), b""))


def chunks_of(answer: bytes) -> list[bytes]:
    """The HTTP chunks of a raw answer."""
    _, _, rest = answer.partition(b"\r\n\r\n")
    found = []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        found.append(rest[: int(size, 16)])
        rest = rest[int(size, 16) + 2 :]
    return found


@pytest.mark.parametrize("path", CHATS)
def test_chunks_can_be_cut_inside_a_character(server: ScriptedServer, client: httpx2.Client, path: str) -> None:
    said = 'naïve “quoted” 漢字 \\ 🎭 "end"\n'
    server.replies(*[Reply(said, cut_every=1)] * 2)
    chunks = chunks_of(raw_answer(server, STREAMED, path))
    assert {len(chunk) for chunk in chunks[:-1]} == {1}
    assert chunks[-1] == b""
    assert "🎭".encode()[:1] in chunks
    assert text_of(client.post(path, json=STREAMED).text) == said


def test_without_a_cut_every_event_is_one_chunk(server: ScriptedServer) -> None:
    server.replies(Reply(deltas=("Hel", "lo")))
    chunks = chunks_of(raw_answer(server, STREAMED))
    assert len(chunks) == 6  # the role, two deltas, the finish, [DONE], the end
    assert all(chunk.startswith(b"data: ") and chunk.endswith(b"\n\n") for chunk in chunks[:-1])


def test_a_whole_answer_can_be_cut_too(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(*[Reply("漢字", cut_every=3)] * 2)
    assert len(chunks_of(raw_answer(server, HELLO))) > 20
    assert client.post(CHATS[0], json=HELLO).json()["choices"][0]["message"]["content"] == "漢字"


def test_chunks_can_be_slow(server: ScriptedServer, client: httpx2.Client) -> None:
    server.replies(Reply(deltas=("a", "b", "c"), delay=0.02))
    started = time.monotonic()
    client.post(CHATS[0], json=STREAMED)
    assert time.monotonic() - started >= 0.1  # six chunks, five waits


def test_a_connection_is_kept_alive(server: ScriptedServer) -> None:
    data = json.dumps(STREAMED).encode()
    ask = f"POST {CHATS[0]} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as sock:
        for _ in range(3):
            sock.sendall(ask)
            answer = b""
            while not answer.endswith(b"0\r\n\r\n"):
                answer += sock.recv(65536)
            assert b"[DONE]" in answer


def test_a_chunked_request_is_understood(client: httpx2.Client) -> None:
    body = json.dumps(HELLO).encode()
    answer = client.post(CHATS[0], content=iter([body[:10], body[10:]]))
    assert answer.json()["choices"][0]["message"]["content"] == "You said: hello"


def test_a_body_that_is_not_json_is_a_bad_request(client: httpx2.Client) -> None:
    assert client.post(CHATS[0], content=b"{nope").status_code == 400
