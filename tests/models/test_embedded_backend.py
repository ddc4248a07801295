"""The embedded model as a backend like any other, before it is started and after."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from onbook.models.embedded_backend import NAME, EmbeddedBackend, is_ready
from onbook.models.errors import ModelError, ModelNotFound
from onbook.models.messages import Finish, Message, Request
from onbook.models.weights import SMOLLM2, BadWeights, pull, weights_path
from tests.models.asking import heard, text_of


async def test_it_lists_its_one_model_without_starting() -> None:
    backend = EmbeddedBackend()
    assert await backend.list_models() == (NAME,)


async def test_another_models_name_is_not_found_and_exit_2() -> None:
    with pytest.raises(ModelNotFound, match=f"the embedded model is {NAME}") as caught:
        await EmbeddedBackend().open("llama3")
    assert caught.value.outcome.exit_code == 2


async def test_without_weights_it_is_not_ready_and_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONBOOK_CACHE_DIR", str(tmp_path))
    assert not is_ready()
    with pytest.raises(ModelError, match="onbook model pull smollm2"):
        await EmbeddedBackend().open(NAME)


async def test_weights_that_are_cut_short_are_damaged_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ONBOOK_CACHE_DIR", str(tmp_path))
    path = weights_path(SMOLLM2)
    path.parent.mkdir()
    path.write_bytes(b"GGUF and then the disk was full")
    with pytest.raises(BadWeights, match=f"{path} is damaged; run `onbook model pull smollm2`, which replaces it"):
        await EmbeddedBackend().open(NAME)


async def test_closing_one_that_never_started_does_nothing() -> None:
    await EmbeddedBackend().aclose()


@pytest.fixture
async def running() -> AsyncIterator[EmbeddedBackend]:
    def silently(what: str, done: int, total: int | None) -> None: ...

    pull(SMOLLM2, silently)
    backend = EmbeddedBackend()
    yield backend
    await backend.aclose()


@pytest.mark.embedded
async def test_it_answers_over_the_same_protocol_as_the_others(running: EmbeddedBackend) -> None:
    request = Request((Message("user", "Say hello"),), seed=1, temperature=0.0, max_tokens=8)
    answer = await heard(await running.open(NAME), request)
    assert (bool(text_of(answer)), any(isinstance(delta, Finish) for delta in answer)) == (True, True)


@pytest.mark.embedded
async def test_a_reply_that_says_the_same_over_and_over_comes_to_an_end(running: EmbeddedBackend) -> None:
    said = "The A-Team: A Night at the Theater:" + " A Night at the Table:" * 4
    messages = (Message("user", "Name a play, in at most ten words."), Message("assistant", said))
    answer = await heard(await running.open(NAME), Request(messages, seed=1, max_tokens=200))
    assert [delta.reason for delta in answer if isinstance(delta, Finish)] == ["stop"]


@pytest.mark.embedded
async def test_it_tells_its_window_and_counts_tokens(running: EmbeddedBackend) -> None:
    counted = await running.count_tokens("Hello there, how are you?")
    assert (await running.context_window(NAME), counted is not None and counted > 3) == (8192, True)


@pytest.mark.embedded
async def test_closed_it_starts_again_with_the_next_question(running: EmbeddedBackend) -> None:
    await running.count_tokens("one")
    await running.aclose()
    assert await running.count_tokens("two")
