"""Servers made with the official SDK, of today's protocol: as a program, and over HTTP on this machine."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from onbook.config.mcp_settings import McpServer
from onbook.policy.effects import Connect
from onbook.session.tools.tool import ToolFailed
from tests.conftest import DEAD, eventually

from .conftest import HERE, Opened, made_with_sdk, until


@contextmanager
def serving(port: int) -> Iterator[None]:
    """The server over HTTP, listening."""
    process = subprocess.Popen(
        [sys.executable, HERE / "sdk_server.py", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        eventually(lambda: _listens(port), 20)
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """A web server that says the same to everybody."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(ConnectionError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as web:
        Thread(target=web.serve_forever, args=(0.01,)).start()
        try:
            yield f"http://127.0.0.1:{web.server_port}/mcp"
        finally:
            web.shutdown()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server over HTTP."""
    port = _free_port()
    with serving(port):
        yield f"http://127.0.0.1:{port}/mcp"


def over_http(address: str, **fields: object) -> McpServer:
    return McpServer("numbers", url=address, **({"allow": ("*",)} | fields))  # type: ignore[arg-type]


async def test_a_program_made_with_the_sdk_is_used_and_its_new_tools_are_noticed(opened: Opened) -> None:
    async with opened(made_with_sdk()) as session:
        assert await session.use("numbers_add", a=1, b=2) == "3"
        with pytest.raises(ToolFailed, match="valid integer"):
            await session.use("numbers_add", a="x", b=2)
        await session.use("numbers_grow")
        await until(lambda: session.toolbox.find("numbers_later"))
        assert await session.use("numbers_later") == "late"
        assert session.notes == []


async def test_a_server_over_http_is_used_and_its_new_tools_are_noticed(opened: Opened, address: str) -> None:
    async with opened(over_http(address)) as session:
        assert await session.use("numbers_add", a=1, b=2) == "3"
        await session.use("numbers_grow")
        await until(lambda: session.toolbox.find("numbers_later"))
        assert session.audited[0].effect == Connect(address)
        assert session.notes == []


async def test_an_address_where_nobody_listens_is_one_note(opened: Opened) -> None:
    async with opened(over_http(f"http://{DEAD}/mcp")) as session:
        (note,) = session.notes
        assert note == "MCP server numbers: it cannot be reached: Connection refused"


async def test_an_address_that_is_no_server_is_one_note(opened: Opened, address: str) -> None:
    wrong = address.replace("/mcp", "/other")
    async with opened(over_http(wrong)) as session:
        assert session.notes == [f"MCP server numbers: it answers 404 Not Found; is {wrong} its address?"]


@pytest.mark.parametrize(
    ("fields", "advice"),
    [({}, "name the variable of its token as key_env"), ({"key_env": "NUMBERS_KEY"}, "check the token in NUMBERS_KEY")],
)
async def test_a_server_that_wants_another_token_is_one_note(
    opened: Opened, fields: dict[str, str], advice: str
) -> None:
    with answering(401, b"") as url:
        async with opened(over_http(url, **fields), NUMBERS_KEY="swordfish-12") as session:
            assert session.notes == [f"MCP server numbers: it answers 401 Unauthorized: {advice}"]


async def test_an_answer_without_end_is_one_note(opened: Opened) -> None:
    with answering(200, b"[" * (9 << 20)) as url:
        async with opened(over_http(url)) as session:
            assert session.notes == ["MCP server numbers: it sent an answer of more than 8 MB"]


async def test_a_missing_token_is_one_note_that_names_the_variable(opened: Opened, address: str) -> None:
    async with opened(over_http(address, key_env="NUMBERS_KEY")) as session:
        assert session.notes == ["MCP server numbers: the variable NUMBERS_KEY is not set; export NUMBERS_KEY=…"]


async def test_a_server_over_http_that_went_away_is_called_again_when_it_is_back(opened: Opened) -> None:
    port = _free_port()
    with serving(port):
        leaving = opened(over_http(f"http://127.0.0.1:{port}/mcp"))
        session = await leaving.__aenter__()
        with pytest.raises(ToolFailed, match="the MCP server numbers ended while it worked on crash: "):
            await session.use("numbers_crash")
    try:
        with serving(port):
            assert await session.use("numbers_add", a=1, b=2) == "3"
        assert len(session.notes) == 1
    finally:
        await leaving.__aexit__(None, None, None)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
