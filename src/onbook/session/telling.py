"""What a turn tells while it lasts: its events, each under the turn's own id and with its time."""

import os
import time

import msgspec

from onbook.events import (
    ConfidenceRead,
    Note,
    PromptStep,
    Reading,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    Sink,
    Speaker,
    TextDelta,
    ToolCalled,
    ToolFinished,
    Totals,
)
from onbook.models.messages import ToolCall
from onbook.outcome import OnbookError, Outcome
from onbook.session.attachments import Prompt
from onbook.session.programs import process_finished
from onbook.session.tools.tool import Report


class Telling:
    """The one who emits. It also remembers what was said, since the last event says it again."""

    def __init__(self, emit: Sink) -> None:
        self.run = os.urandom(4).hex()
        self._emit = emit
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._new_reply = False
        self._began = time.monotonic()
        self._first: float | None = None

    def started(
        self,
        prompt: Prompt,
        speaker: Speaker | None,
        workspace: str,
        kind: str = "chat",
        step: PromptStep | None = None,
    ) -> None:
        self._emit(
            RunStarted(
                run=self.run,
                time=time.time(),
                kind=kind,
                input=prompt.text,
                speaker=speaker,
                workspace=workspace,
                attachments=prompt.attachments,
                step=step,
            )
        )

    def next_reply(self) -> None:
        """What follows is another reply of the same turn: it begins a paragraph of its own."""
        self._new_reply = bool(self._text)

    def text(self, piece: str) -> None:
        self._mark_first()
        if self._new_reply:
            self._new_reply = False
            self._say("\n\n")
        self._say(piece)

    def reasoning(self, piece: str) -> None:
        self._mark_first()
        self._reasoning.append(piece)
        self._emit(ReasoningDelta(run=self.run, time=time.time(), text=piece))

    def called(self, call: ToolCall) -> None:
        self._emit(ToolCalled(run=self.run, time=time.time(), call=call.id, name=call.name, arguments=call.arguments))

    def tool_finished(self, call: ToolCall, result: str, seconds: float, *, ok: bool) -> None:
        self._emit(
            ToolFinished(
                run=self.run, time=time.time(), call=call.id, name=call.name, ok=ok, result=result, seconds=seconds
            )
        )

    def process_finished(self, report: Report) -> None:
        self._emit(process_finished(self.run, report.command, report.output, report.ran))

    def retrying(self, sentence: str) -> None:
        self.note(sentence, "warning")

    def confidence(self, reading: Reading, threshold: float | None) -> None:
        self._emit(
            ConfidenceRead(
                run=self.run,
                time=time.time(),
                score=reading.score,
                method=reading.method,
                reason=reading.reason,
                threshold=threshold,
            )
        )

    def note(self, text: str, level: str = "info") -> None:
        self._emit(Note(run=self.run, time=time.time(), text=text, level=level))

    def finished(
        self,
        outcome: Outcome,
        error: OnbookError | None,
        reason: str,
        totals: Totals,
        running: Totals,
        text: str | None = None,
    ) -> None:
        """The run ends; `text` is the answer where that is not what was said along the way."""
        self._emit(
            RunFinished(
                run=self.run,
                time=time.time(),
                outcome=outcome.value,
                exit_code=outcome.exit_code,
                text="".join(self._text) if text is None else text,
                reasoning="".join(self._reasoning),
                error=str(error or ""),
                finish_reason=reason,
                totals=msgspec.structs.replace(
                    totals, seconds=time.monotonic() - self._began, first_token_seconds=self._first
                ),
                running=running,
            )
        )

    def _say(self, piece: str) -> None:
        self._text.append(piece)
        self._emit(TextDelta(run=self.run, time=time.time(), text=piece))

    def _mark_first(self) -> None:
        if self._first is None:
            self._first = time.monotonic() - self._began
