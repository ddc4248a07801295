"""Passages found by their meaning, with a scripted server that gives vectors."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from onbook.config.settings import Route
from onbook.models.backend import Backend
from onbook.models.resolver import Resolved
from onbook.models.routes import backend_of
from onbook.outcome import UsageError
from onbook.session.knowledge.dropping import drop_all
from onbook.session.knowledge.embedding import BATCH, Embedder, embed_missing
from onbook.session.knowledge.search import find
from onbook.session.knowledge.vectors import open_vectors
from tests.scripted import ScriptedServer, Status
from tests.session.knowledge.conftest import Indexer, Write

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


@pytest_asyncio.fixture
async def backend(server: ScriptedServer) -> AsyncIterator[Backend]:
    backend = backend_of(Route("vectors", server.openai_url), {})
    yield backend
    await backend.aclose()


@pytest.fixture
def embedder(backend: Backend) -> Embedder:
    return Embedder(Resolved(backend, "llama3:latest", "vectors", "a test"), lambda _: None)


def nobody(_: str) -> None:
    """Hears the progress."""


async def test_a_passage_is_found_by_a_word_it_does_not_have(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder
) -> None:
    write("garage.md", "the car stands there\n")
    write("kitchen.md", "bread and butter for everybody\n")
    await indexer.add()
    await embed_missing(workspace, embedder, nobody)
    found = await find(workspace, "automobile", embedder)
    assert found.problem == ""
    assert found.passages[0].cited == "garage.md:1"


async def test_only_passages_without_a_vector_are_sent(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder, server: ScriptedServer
) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    assert (await embed_missing(workspace, embedder, nobody)).count == 1
    write("b.md", "bananas\n")
    await indexer.add()
    assert (await embed_missing(workspace, embedder, nobody)).count == 1
    assert [len(request.body["input"]) for request in server.requests] == [1, 1]


async def test_vectors_of_passages_that_are_gone_are_dropped(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder
) -> None:
    write("a.md", "apples\n")
    write("b.md", "bananas\n")
    await indexer.add()
    await embed_missing(workspace, embedder, nobody)
    (workspace / "a.md").unlink()
    await indexer.add()
    await embed_missing(workspace, embedder, nobody)
    with open_vectors(workspace) as vectors:
        assert len(vectors.numbers()) == 1


async def test_another_model_makes_all_vectors_anew(
    indexer: Indexer, write: Write, workspace: Path, backend: Backend
) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    first = Embedder(Resolved(backend, "llama3:latest", "vectors", "a test"), nobody_retries)
    other = Embedder(Resolved(backend, "llama3", "vectors", "a test"), nobody_retries)
    await embed_missing(workspace, first, nobody)
    assert "no vectors of this model" in (await find(workspace, "apples", other)).problem
    made = await embed_missing(workspace, other, nobody)
    assert (made.count, made.anew) == (1, True)
    assert (await find(workspace, "apples", other)).problem == ""


def nobody_retries(_: object) -> None:
    """Hears of retries."""


async def test_keys_do_not_leave_with_the_text(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder, server: ScriptedServer
) -> None:
    write("a.md", f"the token is {KEY}\n")
    await indexer.add()
    await embed_missing(workspace, embedder, nobody)
    assert KEY.encode() not in server.requests[-1].raw


async def test_a_server_that_fails_keeps_the_batches_before(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder, server: ScriptedServer
) -> None:
    from onbook.models.errors import Rejected

    for number in range(BATCH + 5):
        write(f"{number}.md", f"apples {number}\n")
    await indexer.add()
    server.rule(lambda request: len(request.body["input"]) == 5, Status(400), path="/v1/embeddings")
    with pytest.raises(Rejected):
        await embed_missing(workspace, embedder, nobody)
    server.clear()
    assert (await embed_missing(workspace, embedder, nobody)).count == 5


async def test_without_a_server_words_still_find(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder, server: ScriptedServer
) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    await embed_missing(workspace, embedder, nobody)
    server.rule(lambda _: True, Status(400), path="/v1/embeddings")
    found = await find(workspace, "apples", embedder)
    assert [passage.cited for passage in found.passages] == ["a.md:1"]
    assert found.problem.startswith("found by words alone: vectors: request rejected")


async def test_a_backend_without_embeddings_is_named(server: ScriptedServer) -> None:
    claude = backend_of(Route("claude", f"anthropic://127.0.0.1:{server.port}"), {})
    with pytest.raises(UsageError, match="claude offers no embeddings"):
        Embedder(Resolved(claude, "claude-sonnet", "claude", "a test"), nobody_retries)
    await claude.aclose()


def test_without_the_extra_one_line_says_how_to_get_it(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("onbook.session.knowledge.vectors.find_spec", lambda _: None)
    with pytest.raises(UsageError, match="extra rag"), open_vectors(workspace):
        pass


async def test_damaged_vectors_leave_the_words_and_are_moved_aside_by_drop(
    indexer: Indexer, write: Write, workspace: Path, embedder: Embedder
) -> None:
    write("a.md", "apples\n")
    await indexer.add()
    await embed_missing(workspace, embedder, nobody)
    (workspace / ".onbook/vectors.sqlite").write_bytes(b"nonsense" * 1000)
    found = await find(workspace, "apples", embedder)
    assert [passage.cited for passage in found.passages] == ["a.md:1"]
    assert "vectors.sqlite cannot be read" in found.problem
    (aside,) = drop_all(workspace)
    assert aside.startswith("vectors.sqlite.damaged-")
