"""Vectors for the passages that have none yet: asked for in batches, kept batch by batch."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from onbook.models.embeddings import Embeds, Vector
from onbook.models.messages import Retrying
from onbook.models.resolver import Resolved
from onbook.models.retry import ask_again
from onbook.models.tokens import estimate_tokens
from onbook.outcome import UsageError
from onbook.policy.secrets import redact
from onbook.session.budget import Ledger
from onbook.session.context import Used
from onbook.session.knowledge.store import open_store
from onbook.session.knowledge.vectors import Origin, open_vectors

BATCH = 32
PROGRESS_SECONDS = 3.0

Report = Callable[[str], None]
"""Is told from time to time how far long work has come."""


class Embedder:
    """A model that gives vectors, at what they cost. Texts are redacted on the way: it may live elsewhere."""

    def __init__(self, resolved: Resolved, announce: Callable[[Retrying], None], ledger: Ledger | None = None) -> None:
        backend = resolved.backend
        if not isinstance(backend, Embeds):
            raise UsageError(
                f"{resolved.name}: {backend.name} offers no embeddings; name another route in rag.embeddings, or none"
            )
        self.model = resolved.model
        self._resolved = resolved
        self._ledger = ledger or Ledger()
        self._backend: Embeds = backend
        self._announce = announce

    async def __call__(self, texts: Sequence[str]) -> list[Vector]:
        safe = [redact(text) for text in texts]
        self._ledger.begin_call(self._resolved)
        async with self._ledger.clock():
            vectors = await ask_again(lambda: self._backend.embed(safe, self.model), self._announce)
        self._ledger.add(self._resolved, Used(sum(map(estimate_tokens, safe)), 0, estimated=True))
        return vectors


class Made(msgspec.Struct, frozen=True):
    """How many vectors were made; and whether all were, because the old ones came from another model."""

    count: int
    anew: bool


async def embed_missing(root: Path, embedder: Embedder, report: Report) -> Made:
    """Give every passage its vector, and drop those of passages that are gone."""
    missing, anew = await asyncio.to_thread(_missing, root, embedder.model)
    said = time.monotonic()
    for start in range(0, len(missing), BATCH):
        texts = await asyncio.to_thread(_texts, root, missing[start : start + BATCH])
        vectors = await embedder(list(texts.values()))
        await asyncio.to_thread(_keep, root, embedder.model, list(texts), vectors)
        if time.monotonic() - said >= PROGRESS_SECONDS:
            said = time.monotonic()
            report(f"{start + len(texts):,} of {len(missing):,} vectors")
    return Made(len(missing), anew)


def _missing(root: Path, model: str) -> tuple[list[int], bool]:
    with open_store(root) as store, open_vectors(root) as vectors:
        numbers = store.numbers()
        origin = vectors.origin
        if origin is not None and (origin.model, origin.knowledge) != (model, store.identity):
            vectors.start_anew(None)
            return numbers, bool(numbers)
        have = vectors.numbers()
        vectors.drop(sorted(have.difference(numbers)))
        return [number for number in numbers if number not in have], False


def _texts(root: Path, numbers: Sequence[int]) -> dict[int, str]:
    with open_store(root) as store:
        return {passage.id: f"{passage.path}\n{passage.text}" for passage in store.passages(numbers)}


def _keep(root: Path, model: str, numbers: Sequence[int], found: Sequence[Vector]) -> None:
    if not found:
        return
    with open_store(root) as store:
        origin = Origin(model, len(found[0]), store.identity)
    with open_vectors(root) as vectors:
        if vectors.origin != origin:  # the first ones, or the server's model of that name is another one now
            vectors.start_anew(origin)
        vectors.add(numbers, found)
