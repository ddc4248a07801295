"""A key never shows: not in an error, its chain, its repr, nor in the notice of a retry."""

import traceback
from collections.abc import Mapping
from typing import Any

import pytest

from onbook.config.settings import Route
from onbook.models.errors import Refused
from onbook.models.failures import failure
from onbook.models.messages import Delta
from onbook.models.routes import backend_of
from tests.models.asking import heard_until_it_failed
from tests.scripted import ErrorInStream, Garbage, ScriptedServer, Status

KEY = "Zebra/Quartz+7781=unlikely"
"""Of no known shape: only its being registered gives it away."""


def shown(error: BaseException | None, deltas: list[Delta]) -> str:
    assert error is not None
    chain = "".join(traceback.format_exception(error))
    return "\n".join((str(error), repr(error), repr(vars(error)), chain, repr(deltas)))


async def failing(server: ScriptedServer, url: str) -> str:
    backend = backend_of(Route("secret", url, model="m", key_env="ZEBRA"), {"ZEBRA": f" {KEY}\n"})
    deltas, error = await heard_until_it_failed(await backend.open("m"))
    await backend.aclose()
    assert server.chats[0].key == KEY
    return shown(error, deltas) + repr(backend) + repr(vars(backend))


ECHOES: dict[str, Any] = {
    "refused": Status(401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}),
    "plain text": Status(400, f"bad header Authorization: Bearer {KEY}"),
    "across the cut": Status(400, "x" * 290 + KEY + "y" * 400),
    "redirect": Status(302, b"", {"Location": f"https://elsewhere.example/?key={KEY}"}),
    "in the stream": ErrorInStream({"code": 400, "message": f"key {KEY} is spent"}),
    "garbage": Garbage(f"data: {KEY}\n\n".encode()),
}


@pytest.mark.parametrize("answer", ECHOES.values(), ids=ECHOES.keys())
@pytest.mark.parametrize("scheme", ["http", "anthropic", "ollama"])
async def test_a_server_that_echoes_the_key_cannot_make_us_show_it(
    server: ScriptedServer, scheme: str, answer: Any
) -> None:
    server.replies(answer)
    url = server.openai_url if scheme == "http" else f"{scheme}://127.0.0.1:{server.port}"
    assert "Quartz" not in await failing(server, url)


async def test_the_notice_of_a_retry_does_not_show_the_key(server: ScriptedServer) -> None:
    server.replies(Status(503, f"busy with {KEY}", {"Retry-After": "0"}), Status(401, KEY))
    assert "Quartz" not in await failing(server, server.openai_url)


async def test_a_look_up_that_echoes_the_key_does_not_show_it(server: ScriptedServer) -> None:
    server.rule(lambda _: True, Status(403, f"no {KEY} here"), path="/v1/models")
    backend = backend_of(Route("secret", server.openai_url, key_env="ZEBRA"), {"ZEBRA": KEY})
    with pytest.raises(Refused) as caught:
        await backend.list_models()
    await backend.aclose()
    assert "Quartz" not in shown(caught.value, [])


def test_a_key_of_a_known_shape_is_hidden_even_if_it_is_nobodys() -> None:
    found = failure("x", 400, b"you sent sk-proj-abcdefghijklmnopqrstuvwxyz0123456789")
    assert "abcdefghij" not in str(found)


@pytest.mark.parametrize("key", ["Zebra\nQuartz-2", "Zebra-Quartz-é", "Zebra\x00Quartz", "Zebra\u2028Quartz"])
@pytest.mark.parametrize("url", ["http://127.0.0.1:1/v1", "anthropic://127.0.0.1:1", "any://openai"])
def test_a_key_no_header_can_carry_is_refused_without_showing_it(key: str, url: str) -> None:
    environ: Mapping[str, str] = {"ZEBRA": key}
    with pytest.raises(Refused, match="ZEBRA") as caught:
        backend_of(Route("secret", url, key_env="ZEBRA"), environ)
    assert "Quartz" not in shown(caught.value, [])
