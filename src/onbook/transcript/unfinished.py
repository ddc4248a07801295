"""A chat run whose events are still arriving, until it has finished and is a turn."""

import time

from onbook.events import AnyEvent, Note, ReasoningDelta, RunFinished, RunStarted, Speaker, TextDelta, ToolCalled
from onbook.transcript.turns import Turn


class UnfinishedTurn:
    """Gathers what the last event of a run does not carry."""

    def __init__(self, started: RunStarted) -> None:
        self._started = started
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._notes: list[str] = []
        self._tools: list[str] = []

    def take(self, event: AnyEvent) -> None:
        if isinstance(event, TextDelta):
            self._text.append(event.text)
        elif isinstance(event, ReasoningDelta):
            self._reasoning.append(event.text)
        elif isinstance(event, ToolCalled):
            self._tools.append(f"{event.name}({event.arguments})")
        elif isinstance(event, Note):
            self._notes.append(event.text)

    def finish(self, finished: RunFinished) -> Turn:
        """The turn. What had arrived counts where a run that failed does not bring its text along."""
        started, failed = self._started, finished.outcome != "passed"
        speaker = started.speaker or Speaker("", "", remote=False)
        return Turn(
            user=started.input,
            reply=finished.text or ("".join(self._text) if failed else ""),
            speaker=speaker.name,
            model=speaker.model,
            remote=speaker.remote,
            time=time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(started.time)),
            reasoning=finished.reasoning or ("".join(self._reasoning) if failed else ""),
            workspace=started.workspace,
            attachments=started.attachments,
            notes=tuple(self._notes),
            tools=tuple(self._tools),
            outcome=finished.outcome,
            error=finished.error,
            finish_reason=finished.finish_reason,
            totals=finished.totals,
        )
