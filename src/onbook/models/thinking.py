"""Telling a model's reasoning from its answer where it writes both into the same text."""

from typing import Literal

from onbook.models.messages import Reasoning, Text

OPEN, CLOSE = "<think>", "</think>"
LONGEST_LEAD = 1_000
"""Blank characters before the tag; after more of them it is no longer waited for."""


class ThinkSplitter:
    """Splits `<think>…</think>` off the front of a streamed answer, the same wherever the pieces were cut.

    Only at the front: a model that writes about the tag in the middle of its answer is not thinking. What could
    still become a tag is held back until it is decided; the line breaks after a tag belong to the tag.
    """

    def __init__(self) -> None:
        self._state: Literal["start", "thinking", "thought", "answer"] = "start"
        self._held = ""
        self._held_logprobs: tuple[float, ...] = ()
        self._nothing_thought = True

    def feed(self, text: str, logprobs: tuple[float, ...] = ()) -> list[Text | Reasoning]:
        if self._state == "answer":
            return [Text(text, logprobs)]
        if self._state == "thought":
            return self._after(text, logprobs)
        self._held += text
        if self._state == "thinking":
            return self._think()
        self._held_logprobs += logprobs
        opening = self._held.lstrip()
        if opening.startswith(OPEN):
            self._state, self._held = "thinking", opening[len(OPEN) :]
            return self._think()
        may_come = OPEN.startswith(opening) and len(self._held) <= LONGEST_LEAD
        return [] if may_come else self._held_text()

    def flush(self) -> list[Text | Reasoning]:
        """What was held back when the stream ended."""
        if not self._held:
            return []
        if self._state == "start":
            return self._held_text()
        held, self._held = self._held, ""
        return [Reasoning(held)]

    def _think(self) -> list[Text | Reasoning]:
        if self._nothing_thought:
            self._held = self._held.lstrip("\n")
        thought, closed, answer = self._held.partition(CLOSE)
        if closed:
            self._state, self._held = "thought", ""
            return [*([Reasoning(thought)] if thought else []), *self._after(answer, ())]
        sure = len(self._held) - _overlap(self._held, CLOSE)
        thought, self._held = self._held[:sure], self._held[sure:]
        if not thought:
            return []
        self._nothing_thought = False
        return [Reasoning(thought)]

    def _after(self, text: str, logprobs: tuple[float, ...]) -> list[Text | Reasoning]:
        answer = text.lstrip("\n")
        if not answer:
            return []
        self._state = "answer"
        return [Text(answer, logprobs)]

    def _held_text(self) -> list[Text | Reasoning]:
        self._state = "answer"
        held, self._held = self._held, ""
        return [Text(held, self._held_logprobs)]


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` could be the beginning of `tag`."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
