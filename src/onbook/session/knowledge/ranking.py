"""Which passages answer a question by its words: quick however common the words are."""

from collections.abc import Iterable, Sequence

from onbook.session.knowledge.store import Store

MOST_SCORED = 3_000
"""So many passages are scored at most, which takes some ten milliseconds; a question's rarest words choose them."""
_EVEN = 60
"""The constant of reciprocal rank fusion: how little the very first places outweigh the next."""


def by_words(store: Store, terms: Sequence[str], most: int) -> list[int]:
    """The passages that fit best. Words that are nearly everywhere tell little and cost most: the rarest count first,
    until they lead to enough passages, and the others where they stand together."""
    counts = sorted((count, term) for term in terms if (count := store.how_many(term, MOST_SCORED + 1)))
    rare: list[str] = []
    total = 0
    for count, term in counts:
        total += count
        if total > MOST_SCORED:
            break
        rare.append(term)
    common = [term for _, term in counts[len(rare) :]]
    together = f"({' AND '.join(common)})" if len(common) > 1 else ""
    if together and store.how_many(together, MOST_SCORED + 1) <= MOST_SCORED:
        rare.append(together)
    if rare:
        return store.matching(" OR ".join(rare), most)
    return store.some_with(together or common[0], most) if common else []


def fused(rankings: Iterable[Sequence[int]]) -> list[int]:
    """Several rankings as one, by their places alone: scores of words and of vectors have no common measure."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, number in enumerate(ranking):
            scores[number] = scores.get(number, 0.0) + 1 / (_EVEN + place)
    return sorted(scores, key=lambda number: -scores[number])
