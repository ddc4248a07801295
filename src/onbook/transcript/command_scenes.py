"""Commands as scenes: what was typed, what the machine answered, how it ended.

They stand between the turns of a session and are not turns: nothing of them is remembered when it goes on, since
what a model was shown of their output is part of the turn that it went along with.
"""

from onbook.events import (
    AnyEvent,
    Note,
    ProcessFinished,
    PromptStep,
    RunFinished,
    RunStarted,
    StepFinished,
)
from onbook.excerpt import cut_middle
from onbook.transcript import elements
from onbook.transcript.clock import clock
from onbook.transcript.elements import Action, Aside, Element, Scene, Speech
from onbook.transcript.endings import in_words
from onbook.transcript.names import stage_name
from onbook.transcript.pipeline_scenes import answered, ended
from onbook.transcript.steps import Step, step_within
from onbook.transcript.turns import Turn

MACHINE = "ONBOOK"
MOST_SAID = 4_000
"""Characters of the output that the record keeps: who reads a transcript wants to see what happened, not all of it."""


class UnfinishedCommand:
    """A command whose events are still arriving."""

    def __init__(self, started: RunStarted) -> None:
        self._started = started
        self.is_typed = started.kind == "command"
        """Whether it is a line of its own, and no run of steps and no loop."""
        self._asides: list[Element] = []
        self._heard: dict[str, tuple[PromptStep, Turn]] = {}

    def take(self, event: AnyEvent) -> None:
        if isinstance(event, ProcessFinished):
            self._asides.append(Aside(_ended(event)))
        elif isinstance(event, Note):
            self._asides.append(elements.Note(f"note: {event.text}"))
        elif isinstance(event, StepFinished):
            self._finish_step(event)

    def hear(self, step: PromptStep, said: Turn) -> None:
        """A model has answered a step of the workflow, or failed to."""
        self._heard[step.address] = step, said

    def finish(self, finished: RunFinished, *, person: str) -> Scene:
        """The scene. The recorder seals it, as it does every scene."""
        started, user = self._started, stage_name(person)
        said = finished.text.strip("\n")
        parts: list[Element] = [Action(f"{user} types a command. Workspace: {started.workspace}.")]
        parts.append(Speech(user, started.input))
        if said:
            parts.append(Speech(MACHINE, cut_middle(said, MOST_SAID)))
        parts += self._asides
        if finished.outcome != "passed":
            parts.append(Aside(in_words(finished.outcome, finished.error)))
        return Scene("INT", f"{user} AT THE KEYBOARD", clock(started.time), tuple(parts))

    def _finish_step(self, finished: StepFinished) -> None:
        """Only how sure a model was is kept of a step."""
        heard = self._heard.pop(finished.address, None) if self._heard else None
        if finished.reading is None:
            return
        step = ended(Step(self._started.run, finished.address, clock(finished.time)), finished)
        self._asides += step_within(answered(step, *heard) if heard else step)


def _ended(event: ProcessFinished) -> str:
    is_own_end = event.exit_code is not None and event.exit_code >= 0
    if event.problem and not is_own_end:
        return event.problem
    how = "stopped" if event.exit_code is None else f"exit code {event.exit_code}"
    return f"{how} after {event.seconds:.1f} s{f'; {event.problem}' if event.problem else ''}"
