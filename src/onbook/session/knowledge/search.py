"""A question to the index: ranked by words and by meaning, both together."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from onbook.models.embeddings import Vector
from onbook.outcome import OnbookError, UsageError
from onbook.session.knowledge.embedding import Embedder
from onbook.session.knowledge.ranking import by_words, fused
from onbook.session.knowledge.store import Passage, open_store
from onbook.session.knowledge.vectors import open_vectors
from onbook.session.knowledge.words import query_terms

MOST_PASSAGES = 5
"""About two thousand tokens: a small model must still have room to think."""
_RANKED = 30


class Found(msgspec.Struct, frozen=True):
    """The passages, the best first; and why their meaning did not count, where it should have."""

    passages: list[Passage]
    problem: str = ""


async def find(root: Path, question: str, embedder: Embedder | None) -> Found:
    """The passages that answer best. Where vectors fail, words still find."""
    terms = query_terms(question)
    if not terms and not (embedder and question.strip()):
        raise UsageError(f"{question!r} has no word to look for")
    nearest: list[int] = []
    problem = ""
    if embedder is not None:
        try:
            (vector,) = await embedder([question])
            nearest = await asyncio.to_thread(_nearest, root, vector, embedder.model)
        except OnbookError as error:
            problem = f"found by words alone: {error}"
    return Found(await asyncio.to_thread(_best, root, terms, nearest), problem)


def _best(root: Path, terms: Sequence[str], nearest: Sequence[int]) -> list[Passage]:
    with open_store(root) as store:
        numbers = fused([by_words(store, terms, _RANKED), nearest])
        best: dict[str, Passage] = {}
        for passage in store.passages(numbers[: 2 * _RANKED]):
            best.setdefault(passage.text, passage)  # a copy of a file says nothing new
    return list(best.values())[:MOST_PASSAGES]


def _nearest(root: Path, vector: Vector, model: str) -> list[int]:
    with open_store(root) as store:
        identity = store.identity
    with open_vectors(root) as vectors:
        origin = vectors.origin
        if origin is None or (origin.model, origin.length, origin.knowledge) != (model, len(vector), identity):
            raise NotComparable
        return vectors.nearest(vector, _RANKED)


class NotComparable(OnbookError):
    """There are no vectors that the question's could be compared with."""

    def __init__(self) -> None:
        super().__init__("there are no vectors of this model yet; /rag add makes them")
