"""Telling a model's reasoning from its answer where it writes both into the same text."""

from onbook.models.messages import Reasoning, Text

OPEN, CLOSE = "<think>", "</think>"


class ThinkSplitter:
    """Splits `<think>…</think>` off the front of a streamed answer.

    Only at the front: a model that writes about the tag in the middle of its answer is not thinking. What could
    still become a tag is held back until it is decided.
    """

    def __init__(self) -> None:
        self._state = "start"
        self._held = ""

    def feed(self, text: str, logprobs: tuple[float, ...] = ()) -> list[Text | Reasoning]:
        if self._state == "answer":
            return [Text(text, logprobs)]
        self._held += text
        if self._state == "start":
            opening = self._held.lstrip()
            if opening.startswith(OPEN):
                self._state, self._held = "thinking", opening[len(OPEN) :].lstrip("\n")
            elif OPEN.startswith(opening):
                return []
            else:
                return [Text(self._take(), logprobs)]
        return self._think()

    def flush(self) -> list[Text | Reasoning]:
        """What was held back when the stream ended."""
        if not self._held:
            return []
        thinking = self._state == "thinking"
        held = self._take()
        return [Reasoning(held) if thinking else Text(held)]

    def _think(self) -> list[Text | Reasoning]:
        thought, closed, answer = self._held.partition(CLOSE)
        if closed:
            self._held = answer.lstrip("\n")
            answer = self._take()
            return [*([Reasoning(thought)] if thought else []), *([Text(answer)] if answer else [])]
        sure = len(self._held) - _overlap(self._held, CLOSE)
        thought, self._held = self._held[:sure], self._held[sure:]
        return [Reasoning(thought)] if thought else []

    def _take(self) -> str:
        self._state = "answer"
        held, self._held = self._held, ""
        return held


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` could be the beginning of `tag`."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
