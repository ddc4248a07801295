"""A server of models that means harm: where it sends us, how much it sends, and what its names do."""

import zlib

import pytest

from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer, Status
from tests.security.conftest import CODES, driven_by, shown

KEY = "a-key-of-no-known-shape-42"


def bomb(code: int, kind: str) -> Status:
    """A gigabyte of blanks, packed to a thousandth."""
    packer = zlib.compressobj(9)
    first, again = (packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH) for text in (b"data: ", b" " * (1 << 20)))
    return Status(code, first + again * 1024, {"content-encoding": "deflate", "content-type": kind})


@pytest.mark.threat("S100")
def test_it_cannot_send_us_elsewhere(run: CommandLine, scripted_model: ScriptedServer) -> None:
    with ScriptedServer(default=Reply("got you")) as elsewhere:
        there = Status(307, b"", {"location": f"{elsewhere.openai_url}/chat/completions"})
        scripted_model.replies(there, there, there, there)
        run.route("far", scripted_model.openai_url, model="llama3:latest", key_env="FAR_KEY")

        finished = run("ask", "-m", "far", "hello", FAR_KEY=KEY)

        assert finished.code == 5
        assert scripted_model.chats[0].key == KEY
        assert elsewhere.requests == []


@pytest.mark.threat("S101")
def test_a_packed_list_of_models_without_end_is_given_up(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.rule(lambda _: True, bomb(200, "application/json"), path="/api/tags")
    run.route("far", scripted_model.ollama_url)

    finished = run("model", "list")

    assert finished.code == 0
    assert "an answer of more than 64 MiB" in finished.stdout


@pytest.mark.threat("S102")
@pytest.mark.parametrize("code", [200, 500])
def test_a_packed_answer_without_end_is_given_up(run: CommandLine, scripted_model: ScriptedServer, code: int) -> None:
    scripted_model.replies(*[bomb(code, "text/event-stream" if code == 200 else "application/json")] * 4)

    assert run("ask", "hello").code == 5


@pytest.mark.threat("S103")
def test_the_names_of_its_models_cannot_drive_the_terminal(terminal: Terminal, run: CommandLine) -> None:
    with ScriptedServer(models=[f"evil{CODES}", "llama3:latest"]) as server:
        run.route("far", server.ollama_url)

        raw = shown(terminal("model", "list")) + shown(terminal("ask", "-m", "far", "hello"))

    assert "evil" in raw
    assert not driven_by(raw)
