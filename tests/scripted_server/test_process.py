"""The scripted server starts, stops, starts again, and runs as a program."""

import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from tests.scripted import Reply, ScriptedServer, Stall
from tests.scripted_server.plain_client import CHATS, STREAMED, text_of


def test_unplugged_it_refuses_and_plugged_in_again_it_goes_on(server: ScriptedServer, http: httpx2.Client) -> None:
    server.replies(Stall(), Reply("back"))
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(http.post, server.url + CHATS[0], json=STREAMED)
        assert server.wait_for_requests()
        server.stop()
        with pytest.raises(httpx2.RemoteProtocolError):
            hanging.result(5)
    assert not server.abandoned
    with pytest.raises(httpx2.ConnectError):
        http.post(server.url + CHATS[0], json=STREAMED)
    url = server.url
    server.start()
    assert server.url == url
    assert text_of(http.post(url + CHATS[0], json=STREAMED).text) == "back"


def test_starting_is_cheap() -> None:
    def seconds_of_one() -> float:
        started = time.monotonic()
        with ScriptedServer():
            return time.monotonic() - started

    assert statistics.median(seconds_of_one() for _ in range(20)) < 0.02


def test_the_urls_say_how_to_talk_to_it(server: ScriptedServer) -> None:
    place = f"127.0.0.1:{server.port}"
    assert (server.url, server.openai_url) == (f"http://{place}", f"http://{place}/v1")
    assert (server.ollama_url, server.anthropic_url) == (f"ollama://{place}", f"http://{place}")


@pytest.mark.parametrize(
    ("flags", "said"),
    [(["--reply", "Hi you."], "Hi you."), (["--tokens", "3"], "word word word"), ([], "You said: hello")],
)
def test_it_runs_as_a_process_and_prints_its_url(flags: list[str], said: str, http: httpx2.Client) -> None:
    command = [sys.executable, "-m", "tests.scripted", "--port", "0", *flags]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            assert text_of(http.post(url + CHATS[0], json=STREAMED).text) == said
        finally:
            process.terminate()
        assert process.wait(5) == 0


def test_a_reply_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="two different ones"):
        Reply("one", deltas=("two",))
    with pytest.raises(ValueError, match="logprobs for"):
        Reply("one two", logprobs=(-1.0,))
