"""What `/rag` and the model's tool work with: the workspace's index, behind its door and beside its models."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from onbook.models.messages import Retrying
from onbook.outcome import OnbookError
from onbook.policy.bulk import Tree
from onbook.policy.door import Door
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.knowledge import dropping, vectors
from onbook.session.knowledge.embedding import PROGRESS_SECONDS, Embedder, Report, embed_missing
from onbook.session.knowledge.indexing import MOST_BYTES, Work, index
from onbook.session.knowledge.search import Found, find
from onbook.session.knowledge.store import Counts, is_there, open_store
from onbook.session.knowledge.vectors import open_vectors
from onbook.words import counted
from onbook.workspace.databases import database_path


class Status(msgspec.Struct, frozen=True):
    """How much is indexed, and how much of it has vectors of which model."""

    counts: Counts
    vectors: int = 0
    model: str = ""


class Knowledge:
    """The index of one workspace. Nothing is open between two calls."""

    def __init__(
        self, door: Door, choice: ModelChoice, embeddings: str | None = None, ledger: Ledger | None = None
    ) -> None:
        """`embeddings` names the route or model that gives vectors; `ledger` is told what they cost."""
        self._door = door
        self._root = door.root
        self._choice = choice
        self._embeddings = embeddings
        self._ledger = ledger

    async def add(self, paths: Sequence[str], report: Report) -> Work:
        """Index what is new or changed below the paths that a person named. Cancelled, it keeps what was finished."""
        trees = [await self._door.tree(path, by="user", most=MOST_BYTES) for path in paths]
        work = Work()
        doing = asyncio.ensure_future(asyncio.to_thread(self._index, trees, work))
        try:
            while not (await asyncio.wait({doing}, timeout=PROGRESS_SECONDS))[0]:
                report(f"{work.done:,} of {work.files:,} files, {work.bytes / 1e6:.0f} MB")
        except asyncio.CancelledError:
            work.stop.set()
            await asyncio.wait({doing})
            doing.exception()  # whatever it was, it is over
            raise
        await doing
        return work

    async def embed(self, report: Report, announce: Callable[[Retrying], None]) -> str | None:
        """Give the passages vectors, if the settings name who makes them: what was done, in words, if anything was."""
        embedder = await self.embedder(announce)
        if embedder is None:
            return None
        made = await embed_missing(self._root, embedder, report)
        if not made.count:
            return None
        said = f"{counted(made.count, 'vector')} made by {embedder.model}"
        return f"{said}; those of another model are gone" if made.anew else said

    async def find(self, question: str, announce: Callable[[Retrying], None] = lambda _: None) -> Found:
        """The passages that answer a question; by words alone, and said, where nobody can be found to make vectors."""
        try:
            embedder = await self.embedder(announce)
        except OnbookError as error:
            found = await find(self._root, question, None)
            return Found(found.passages, f"found by words alone: {error}")
        return await find(self._root, question, embedder)

    async def embedder(self, announce: Callable[[Retrying], None]) -> Embedder | None:
        """Who makes vectors; None when the settings name nobody."""
        if self._embeddings is None:
            return None
        vectors.check_installed()
        return Embedder(await self._choice.named(self._embeddings), announce, self._ledger)

    async def status(self) -> Status:
        return await asyncio.to_thread(self._status)

    async def drop(self, path: str) -> list[str]:
        """Forget what was indexed at and below a path: the files that were."""
        return await asyncio.to_thread(dropping.drop, self._root, path)

    async def drop_all(self) -> list[str]:
        """Forget everything. A damaged file is moved aside, never deleted: the names such have then."""
        return await asyncio.to_thread(dropping.drop_all, self._root)

    async def is_empty(self) -> bool:
        """Whether there is nothing to find."""
        return await asyncio.to_thread(self._is_empty)

    def _index(self, trees: Sequence[Tree], work: Work) -> None:
        for tree in trees:
            if not work.stop.is_set():
                index(self._root, tree, work)

    def _is_empty(self) -> bool:
        if not is_there(self._root):
            return True
        with open_store(self._root) as store:
            return store.is_empty()

    def _status(self) -> Status:
        if not is_there(self._root):
            return Status(Counts())
        with open_store(self._root) as store:
            counts = store.counts()
        if not vectors.is_installed() or not database_path(self._root, vectors.NAME).exists():
            return Status(counts)
        with open_vectors(self._root) as opened:
            origin = opened.origin
            return Status(counts, len(opened.numbers()), origin.model if origin else "")
