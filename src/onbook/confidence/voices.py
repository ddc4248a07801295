"""Who tells of an answer whose confidence is to be read: without the block, or not a word."""

from onbook.confidence.blocks import Said
from onbook.confidence.holding import Holder
from onbook.events import Sink
from onbook.models.messages import ToolCall
from onbook.session.telling import Telling


class Withholding(Telling):
    """Tells the answer as it comes, and never a piece of the confidence block."""

    def __init__(self, emit: Sink) -> None:
        super().__init__(emit)
        self._holder = Holder()
        self._shown: list[str] = []

    def text(self, piece: str) -> None:
        self._show(self._holder.feed(piece))

    def end_reply(self) -> Said:
        """The reply is whole: what was held back and is no block after all is said now. Of one that broke off, nothing
        more is."""
        self._show(self._holder.end())
        return Said("".join(self._shown), self._holder.reading)

    def _show(self, piece: str) -> None:
        if piece:
            self._shown.append(piece)
            super().text(piece)


class Quiet(Telling):
    """Tells nothing of an answer that nobody reads, but that a call is tried again, which takes time."""

    def __init__(self, aloud: Telling) -> None:
        self._aloud = aloud

    def next_reply(self) -> None:
        pass

    def text(self, piece: str) -> None:
        pass

    def reasoning(self, piece: str) -> None:
        pass

    def called(self, call: ToolCall) -> None:
        pass

    def note(self, text: str, level: str = "info") -> None:
        pass

    def retrying(self, sentence: str) -> None:
        self._aloud.retrying(sentence)
