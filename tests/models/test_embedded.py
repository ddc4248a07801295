"""The real embedded model, over its real port; its weights are fetched once and then found in the user's cache."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest

import onbook
from onbook.models.embedded import EmbeddedServer
from onbook.models.errors import OutOfMemory
from onbook.models.weights import SMOLLM2, BadWeights, NoWeights, pull
from tests.models.children import default_signals

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]

HELLO = {"messages": [{"role": "user", "content": "Say hello"}], "max_tokens": 12, "seed": 1}
ENDLESS = {"messages": [{"role": "user", "content": "Tell a long story"}], "stream": True, "ignore_eos": True}

IN_A_PROCESS = """
import os, signal, socket, sys, threading, time
from pathlib import Path
import httpx2
from onbook.models.embedded import EmbeddedServer
from onbook.outcome import OnbookError
try:
    server = EmbeddedServer.start(Path(sys.argv[1]))
except OnbookError as error:
    print(error)
    sys.exit(error.outcome.exit_code)
started = threading.Event()
def story():
    body = {"messages": [{"role": "user", "content": "Tell a long story"}], "stream": True, "ignore_eos": True}
    headers = {"Authorization": f"Bearer {server.key}"}
    try:
        with httpx2.stream("POST", server.base_url + "/chat/completions", json=body, headers=headers) as reply:
            for line in reply.iter_lines():
                started.set()
    except httpx2.HTTPError:
        pass
if sys.argv[2] != "idle":
    threading.Thread(target=story, daemon=True).start()
    started.wait()
if sys.argv[2] == "impatient":
    def press_again_and_again():
        try:
            while True:
                socket.create_connection(("127.0.0.1", httpx2.URL(server.base_url).port)).close()
                time.sleep(0.001)
        except OSError:  # it is closing
            for _ in range(20):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.001)
    threading.Thread(target=press_again_and_again, daemon=True).start()
try:
    print("ready", flush=True)
    if sys.argv[2] == "wait":
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
sys.exit(7)
"""


@pytest.fixture(scope="session")
def weights() -> Path:
    def silently(what: str, done: int, total: int | None) -> None: ...

    return pull(SMOLLM2, silently)


@pytest.fixture(scope="module")
def server(weights: Path) -> Iterator[EmbeddedServer]:
    with EmbeddedServer.start(weights) as running:
        yield running


@pytest.fixture
def client(server: EmbeddedServer) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {server.key}"}
    with httpx2.Client(base_url=server.base_url, headers=headers, timeout=120) as http:
        yield http


def chat(client: httpx2.Client, body: dict[str, Any]) -> dict[str, Any]:
    reply = client.post("/chat/completions", json=body)
    assert reply.status_code == 200, reply.text
    answer: dict[str, Any] = reply.json()
    return answer


def test_it_answers(client: httpx2.Client) -> None:
    reply = chat(client, HELLO)
    assert reply["choices"][0]["message"]["content"].strip()
    assert reply["model"] == "smollm2"
    assert reply["usage"]["prompt_tokens"] > 0


def test_it_streams_in_pieces_and_ends_with_usage(client: httpx2.Client) -> None:
    body = HELLO | {"stream": True, "stream_options": {"include_usage": True}}
    with client.stream("POST", "/chat/completions", json=body) as reply:
        lines = [line.removeprefix("data: ") for line in reply.iter_lines() if line.startswith("data: ")]
    assert lines.pop() == "[DONE]"
    chunks = [json.loads(line) for line in lines]
    pieces = [choice["delta"].get("content") for chunk in chunks for choice in chunk["choices"]]
    assert len([piece for piece in pieces if piece]) > 3
    assert chunks[-1]["usage"]["completion_tokens"] > 3


def test_a_client_that_goes_away_frees_its_slot(client: httpx2.Client) -> None:
    for _ in range(4):  # more than there are slots
        with client.stream("POST", "/chat/completions", json=ENDLESS) as reply:
            next(reply.iter_lines())
    started = time.monotonic()
    chat(client, HELLO | {"max_tokens": 5})
    assert time.monotonic() - started < 15  # a story to its end takes longer
    before = time.process_time()
    time.sleep(1)
    assert time.process_time() - before < 0.3  # nothing goes on generating


def test_several_requests_at_once_are_all_answered(client: httpx2.Client) -> None:
    with ThreadPoolExecutor(5) as pool:
        replies = list(pool.map(lambda _: chat(client, HELLO), range(5)))
    assert all(reply["choices"][0]["message"]["content"] for reply in replies)


def test_it_gives_logprobs(client: httpx2.Client) -> None:
    reply = chat(client, HELLO | {"logprobs": True, "top_logprobs": 3})
    tokens = reply["choices"][0]["logprobs"]["content"]
    assert all(token["logprob"] <= 0 and len(token["top_logprobs"]) == 3 for token in tokens)


def test_it_keeps_to_a_schema(client: httpx2.Client) -> None:
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 20}, "city": {"enum": ["Oslo", "Rome"]}},
        "required": ["name", "city"],
        "additionalProperties": False,
    }
    body = {
        "messages": [{"role": "user", "content": "Anna lives in Oslo. Give her name and city as JSON."}],
        "max_tokens": 100,
        "response_format": {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}},
    }
    person = json.loads(chat(client, body)["choices"][0]["message"]["content"])
    assert set(person) == {"name", "city"}
    assert isinstance(person["name"], str)
    assert person["city"] in ("Oslo", "Rome")


def test_it_tells_its_context_window_and_counts_tokens(client: httpx2.Client, server: EmbeddedServer) -> None:
    root = server.base_url.removesuffix("/v1")
    assert client.get(f"{root}/props").json()["default_generation_settings"]["n_ctx"] == 8192
    assert len(client.post(f"{root}/tokenize", json={"content": "hello world"}).json()["tokens"]) == 2
    too_long = client.post("/chat/completions", json={"messages": [{"role": "user", "content": "word " * 9000}]})
    assert too_long.status_code == 400
    assert too_long.json()["error"]["type"] == "exceed_context_size_error"


@pytest.mark.parametrize("key", [None, "wrong"])
@pytest.mark.parametrize("path", ["/chat/completions", "/models", "/../props", "/../tokenize", "/../slots"])
def test_without_the_key_nothing_is_answered(server: EmbeddedServer, path: str, key: str | None) -> None:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    assert httpx2.post(server.base_url + path, json=HELLO, headers=headers).status_code == 401


async def test_opening_is_awaited_and_closing_ends_the_port(weights: Path) -> None:
    server = await EmbeddedServer.open(weights)
    server.close()
    server.close()
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(server.base_url + "/models")


async def test_a_cancelled_opening_leaves_no_server(weights: Path) -> None:
    opening = asyncio.create_task(EmbeddedServer.open(weights))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening


def run(weights: Path, what: str, prepare: Callable[[], None] = default_signals) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", IN_A_PROCESS, str(weights), what]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, preexec_fn=prepare)


@pytest.mark.parametrize("what", ["idle", "busy", "impatient"])
def test_a_process_ends_at_once_and_silently(weights: Path, what: str) -> None:
    ended = run(weights, what)
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "ready\n", "")


def test_ctrl_c_ends_a_process_that_is_generating(weights: Path) -> None:
    command = [sys.executable, "-c", IN_A_PROCESS, str(weights), "wait"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=default_signals
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        pressed = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "")
    assert time.monotonic() - pressed < 6


@pytest.mark.parametrize("damage", ["empty", "random", "header only", "truncated", "scrambled"])
def test_a_damaged_file_is_one_clear_line(weights: Path, tmp_path: Path, damage: str) -> None:
    whole = weights.read_bytes()
    content = {
        "empty": b"",
        "random": b"\x07" * 5000,
        "header only": whole[:1000],
        "truncated": whole[: len(whole) // 2],
        "scrambled": whole[:2000] + b"\xff" * 4000 + whole[6000:],
    }[damage]
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(content)
    ended = run(bad, "idle")
    line = (
        f"smollm2: its weights cannot be loaded: {bad} is damaged; run `onbook model pull smollm2`, which replaces it\n"
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (5, line, "")


def test_too_little_memory_is_one_clear_line(weights: Path) -> None:
    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (450 << 20, 450 << 20))

    ended = run(weights, "idle", limit)
    assert (ended.returncode, ended.stderr) == (OutOfMemory.outcome.exit_code, "")
    assert ended.stdout.startswith("smollm2: out of memory: about 600 MB are needed")


def test_missing_weights_say_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(NoWeights, match="run `onbook model pull smollm2`"):
        EmbeddedServer.start(tmp_path / "none.gguf")
    with pytest.raises(BadWeights, match="Is a directory"):
        EmbeddedServer.start(tmp_path)


def test_without_the_extra_it_says_what_to_install(weights: Path, tmp_path: Path) -> None:
    """A real environment: everything of this one, except xllamacpp."""
    venv.create(tmp_path / "bare", with_pip=False)
    packages = tmp_path / "packages"
    packages.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith("xllamacpp"):
            (packages / package.name).symlink_to(package)
    paths = f"{packages}{os.pathsep}{Path(onbook.__file__).parent.parent}"
    command = [str(tmp_path / "bare" / "bin" / "python"), "-c", IN_A_PROCESS, str(weights), "idle"]
    environ = os.environ | {"PYTHONPATH": paths}
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)
    line = "smollm2: not installed: install onbook with its extra local: pip install '.[local]' in its clone\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (5, line, "")
