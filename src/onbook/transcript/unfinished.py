"""A model's answer whose events are still arriving, in chat or in a step, until it has finished and is a turn."""

from onbook.events import (
    AnyEvent,
    Note,
    RunFinished,
    RunStarted,
    Speaker,
    ToolCalled,
    ToolFinished,
)
from onbook.excerpt import cut_middle
from onbook.transcript.clock import clock
from onbook.transcript.turns import ToolUse, Turn

LONGEST_TOOL_TEXT = 2_000
"""So many characters of a tool's arguments and of its result are recorded; the model itself got them whole."""


class UnfinishedTurn:
    """Gathers what the last event of a run does not carry."""

    def __init__(self, started: RunStarted) -> None:
        self._started = started
        self.step = started.step
        """The step that it is part of; None in chat."""
        self._notes: list[str] = []
        self._tools: dict[str, ToolUse] = {}

    def take(self, event: AnyEvent) -> None:
        if isinstance(event, ToolCalled):
            self._tools[event.call] = ToolUse(f"{event.name}({cut_middle(event.arguments, LONGEST_TOOL_TEXT)})")
        elif isinstance(event, ToolFinished):
            self._finish_tool(event)
        elif isinstance(event, Note) and event.level != "debug":
            self._notes.append(event.text)

    def finish(self, finished: RunFinished) -> Turn:
        """The turn."""
        started = self._started
        speaker = started.speaker or Speaker("", "", remote=False)
        return Turn(
            user=started.input,
            reply=finished.text,
            speaker=speaker.name,
            model=speaker.model,
            remote=speaker.remote,
            time=clock(started.time),
            reasoning=finished.reasoning,
            workspace=started.workspace,
            attachments=started.attachments,
            notes=tuple(self._notes),
            tools=tuple(self._tools.values()),
            outcome=finished.outcome,
            error=finished.error,
            finish_reason=finished.finish_reason,
            totals=finished.totals,
        )

    def _finish_tool(self, event: ToolFinished) -> None:
        called = self._tools.get(event.call) or ToolUse(f"{event.name}(…)")
        self._tools[event.call] = ToolUse(called.call, cut_middle(event.result, LONGEST_TOOL_TEXT), event.ok)
