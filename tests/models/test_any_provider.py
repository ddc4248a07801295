"""Any provider of any-llm, through the real SDK: the same deltas, the same errors, and no retries but ours."""

import asyncio
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import onbook
from onbook.models.any_provider import AnyBackend
from onbook.models.errors import (
    ContextOverflow,
    MalformedStream,
    ModelError,
    ModelNotFound,
    OutOfMemory,
    RateLimited,
    Refused,
    Rejected,
    Unreachable,
)
from onbook.models.messages import Finish, Message, Request, Retrying, Text, ToolCall, ToolSpec, Usage
from onbook.outcome import UsageError
from tests.models.asking import HELLO, chunk, events, heard, heard_until_it_failed, reasoning_of, text_of
from tests.scripted import (
    CleanEndWithoutFinish,
    Cut,
    ErrorInStream,
    Garbage,
    Reply,
    ScriptedServer,
    SlowFirstByte,
    Stall,
    Status,
    known_errors,
)
from tests.scripted import ToolCall as Called

KEY = "Walrus/Anthracite+9914=unlikely"


@pytest.fixture
async def backend(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AnyBackend]:
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
    backend = AnyBackend("anyone", "openai", KEY)
    yield backend
    await backend.aclose()


async def test_text_usage_and_finish_arrive(server: ScriptedServer, backend: AnyBackend) -> None:
    server.replies(Reply("Grüße 👩‍🚀", usage=(5, 2), cut_every=1))
    answer = await heard(await backend.open("m"))
    assert (text_of(answer), answer[-2:]) == ("Grüße 👩‍🚀", [Finish("stop"), Usage(5, 2)])


async def test_reasoning_is_told_apart(server: ScriptedServer, backend: AnyBackend) -> None:
    server.replies(Reply("42", reasoning="six times seven"))
    answer = await heard(await backend.open("m"))
    assert (reasoning_of(answer), text_of(answer)) == ("six times seven", "42")


async def test_tool_calls_come_out_whole(server: ScriptedServer, backend: AnyBackend) -> None:
    server.replies(Reply(tool_calls=(Called("a", "look", '{"at": 1}'), Called("b", "go")), usage=None))
    calls = [delta for delta in await heard(await backend.open("m")) if isinstance(delta, ToolCall)]
    assert calls == [ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "go", "{}")]


async def test_the_request_is_sent_as_it_was_made(server: ScriptedServer, backend: AnyBackend) -> None:
    schema = {"type": "object", "properties": {}}
    request = Request(
        (Message("system", "Be brief."), Message("user", "hello")),
        tools=(ToolSpec("look", "Look around", schema),),
        temperature=0.5,
        top_p=0.9,
        stop=("END",),
        seed=7,
        schema=schema,
    )
    await heard(await backend.open("m"), request)
    sent = server.chats[0].body
    assert (sent["messages"], sent["temperature"], sent["top_p"], sent["stop"], sent["seed"]) == (
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}],
        0.5,
        0.9,
        ["END"],
        7,
    )
    assert (sent["tools"][0]["function"]["name"], sent["response_format"]["json_schema"]["schema"]) == ("look", schema)


async def test_nothing_is_sent_that_nobody_set(server: ScriptedServer, backend: AnyBackend) -> None:
    await heard(await backend.open("m"))
    assert set(server.chats[0].body) == {"model", "messages", "stream", "stream_options"}


async def test_the_key_is_the_routes(server: ScriptedServer, backend: AnyBackend) -> None:
    await heard(await backend.open("m"))
    assert server.chats[0].key == KEY


FAILURES: dict[str, tuple[Any, type[ModelError]]] = {
    "overflow": (known_errors.openai_overflow(), ContextOverflow),
    "overflow in the stream": (known_errors.llama_cpp_overflow_in_stream(), ContextOverflow),
    "out of memory": (known_errors.ollama_out_of_memory(), OutOfMemory),
    "unauthorized": (known_errors.openai_unauthorized(), Refused),
    "spent": (known_errors.openai_quota_spent(), Refused),
    "no such model": (known_errors.openai_model_not_found(), ModelNotFound),
    "rate limited": (known_errors.openai_rate_limited("3600"), RateLimited),
    "rejected": (Status(400, {"error": {"message": "no"}}), Rejected),
    "ended without a finish": (CleanEndWithoutFinish(), MalformedStream),
    "cut": (Cut(), MalformedStream),
    "garbage": (Garbage(), MalformedStream),
    "reset": (Cut(reset=True), Unreachable),
}


@pytest.mark.parametrize(("answer", "kind"), FAILURES.values(), ids=FAILURES.keys())
async def test_each_failure_has_its_type_and_is_not_tried_again(
    server: ScriptedServer, backend: AnyBackend, answer: Any, kind: type[ModelError]
) -> None:
    server.replies(answer)
    _, error = await heard_until_it_failed(await backend.open("m"))
    assert (type(error), len(server.chats)) == (kind, 1)


async def test_a_busy_server_is_tried_again_by_us_alone(server: ScriptedServer, backend: AnyBackend) -> None:
    server.replies(known_errors.openai_rate_limited("0"), Reply("Hello"))
    answer = await heard(await backend.open("m"))
    assert (answer[0], text_of(answer), len(server.chats)) == (Retrying("rate limited", 0.0, 1), "Hello", 2)


async def test_an_error_after_the_finish_has_broken_nothing(server: ScriptedServer, backend: AnyBackend) -> None:
    whole = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"} | chunk("stop", content="Hello")
    server.replies(events(whole, b"{oops"))
    assert await heard(await backend.open("m")) == [Text("Hello"), Finish("stop")]


async def test_a_dead_server_is_unreachable(dead_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{dead_port}/v1")
    backend = AnyBackend("anyone", "openai", KEY)
    with pytest.raises(Unreachable):
        await backend.list_models()
    await backend.aclose()


async def test_the_models_are_listed(server: ScriptedServer, backend: AnyBackend) -> None:
    assert await backend.list_models() == ("llama3:latest",)


async def test_a_provider_that_cannot_list_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(listing=False) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
        backend = AnyBackend("anyone", "openai", KEY)
        assert await backend.list_models() is None
        await backend.aclose()


async def test_the_window_is_from_the_table_and_tokens_are_not_counted(backend: AnyBackend) -> None:
    assert (await backend.context_window("gpt-4o"), await backend.count_tokens("hello")) == (128_000, None)


@pytest.mark.parametrize("answer", [SlowFirstByte(30), Stall(after_chunks=1)], ids=["waiting", "streaming"])
async def test_cancelling_hangs_up_and_leaves_no_task(
    server: ScriptedServer, backend: AnyBackend, answer: SlowFirstByte | Stall
) -> None:
    server.replies(answer)
    task = asyncio.create_task(heard(await backend.open("m")))
    await asyncio.to_thread(server.wait_for_requests)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(server.wait_for_disconnect)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_closing_the_answer_early_hangs_up(server: ScriptedServer, backend: AnyBackend) -> None:
    server.replies(Stall(after_chunks=2))
    deltas = (await backend.open("m")).stream(HELLO)
    await anext(deltas)
    await deltas.aclose()
    assert await asyncio.to_thread(server.wait_for_disconnect)


@pytest.mark.parametrize(
    "answer",
    [Status(401, {"error": {"message": f"bad key {KEY}"}}), ErrorInStream({"code": 400, "message": f"bad {KEY}"})],
    ids=["status", "stream"],
)
async def test_a_key_echoed_by_the_server_is_not_shown(
    server: ScriptedServer, backend: AnyBackend, answer: Status | ErrorInStream
) -> None:
    server.replies(answer)
    _, error = await heard_until_it_failed(await backend.open("m"))
    assert error is not None
    assert "Anthracite" not in "".join((*traceback.format_exception(error), repr(error), repr(vars(error))))


async def test_a_key_the_sdk_finds_by_itself_is_not_shown_either(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai_url)
    monkeypatch.setenv("OPENAI_API_KEY", "Walrus/Obsidian+9914=unlikely")
    server.replies(Status(401, "bad key Walrus/Obsidian+9914=unlikely"))
    backend = AnyBackend("anyone", "openai", None)
    _, error = await heard_until_it_failed(await backend.open("m"))
    await backend.aclose()
    assert "Obsidian" not in str(error)


async def test_a_missing_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(Refused, match="OPENAI_API_KEY"):
        await AnyBackend("anyone", "openai", None).open("m")


async def test_a_provider_that_needs_no_key_gets_none(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLAMACPP_API_BASE", server.openai_url)
    monkeypatch.delenv("LLAMACPP_API_KEY", raising=False)
    backend = AnyBackend("anyone", "llamacpp", None)
    answer = await heard(await backend.open("m"))
    await backend.aclose()
    assert text_of(answer) == "You said: hello"


async def test_a_provider_whose_packages_are_missing_says_what_to_install() -> None:
    with pytest.raises(UsageError, match=r"pip install any-llm-sdk\[mistral\]"):
        await AnyBackend("anyone", "mistral", KEY).open("m")


async def test_a_provider_nobody_knows_is_a_usage_error_with_a_suggestion() -> None:
    with pytest.raises(UsageError, match="no provider opnai; did you mean openai"):
        await AnyBackend("anyone", "opnai", KEY).open("m")


def test_without_the_extra_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    """A real environment: everything of this one, except any_llm."""
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith("any_llm") and entry.suffix != ".pth":
            (tmp_path / entry.name).symlink_to(entry)
    paths = [str(tmp_path), str(Path(onbook.__file__).parents[1])]
    program = f"""if True:
        import sys
        sys.path += {paths!r}
        import asyncio
        from onbook.models.any_provider import AnyBackend
        from onbook.outcome import UsageError
        try:
            asyncio.run(AnyBackend("x", "openai", None).open("m"))
        except UsageError as error:
            print(error)
        """
    ended = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout == "any:// routes need onbook with its extra cloud: pip install '.[cloud]' in its clone\n"
