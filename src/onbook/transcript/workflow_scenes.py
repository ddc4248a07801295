"""A workflow as scenes: what was asked for, each phase with those who were sent out, each gate with who decided what.

None of them is a turn: nothing of a workflow is remembered when the session goes on.
"""

from collections.abc import Callable, Iterator
from typing import Any

from onbook.events import (
    AnyEvent,
    Event,
    GateAnswered,
    GateWaiting,
    Note,
    PromptStep,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
)
from onbook.excerpt import cut_middle
from onbook.transcript import elements
from onbook.transcript.clock import clock
from onbook.transcript.command_scenes import MACHINE, MOST_SAID, UnfinishedCommand
from onbook.transcript.elements import Action, Aside, Element, Place, Scene, Speech
from onbook.transcript.endings import in_words
from onbook.transcript.names import stage_name
from onbook.transcript.turns import NOTE, Turn


class UnfinishedWorkflow(UnfinishedCommand):
    """Gathers what happens until a phase or a gate is over, and then has a scene of it."""

    def __init__(self, started: RunStarted, *, person: str) -> None:
        super().__init__(started)
        self._user = stage_name(person)
        self._due = [self._beginning(started)]
        self.has_begun = False
        """Whether any scene of it was told."""
        self._steps: dict[str, StepStarted] = {}
        self._spoke: dict[str, Turn] = {}
        self._cast: list[str] = []
        self._place: Place = "INT"
        self._parts: list[Element] = []
        self._gate: GateWaiting | None = None

    def take(self, event: AnyEvent) -> None:
        if (take := _TAKES.get(type(event))) is not None:
            take(self, event)

    def hear(self, step: PromptStep, said: Turn) -> None:
        """An agent's model has answered, or failed to."""
        self._spoke[step.address] = said

    def scenes(self) -> Iterator[Scene]:
        """Those that are over. What began it comes with the first of them: where nothing happened, nothing is told."""
        if self.has_begun or len(self._due) > 1:
            self.has_begun, due, self._due = True, self._due, []
            yield from due

    def ending(self, finished: RunFinished) -> Iterator[Scene]:
        """The last of them."""
        if self._gate is not None:
            self._parts += [*self._question(self._gate), Aside("it is left open")]
        self._parts.append(Aside(in_words(finished.outcome, finished.error)))
        self._close(finished, "ENDS")
        yield from self.scenes()

    def _beginning(self, started: RunStarted) -> Scene:
        does = f"begins the workflow {started.name}" if started.name else "clears up after a workflow"
        parts = (
            Action(f"{self._user} {does}. Workspace: {started.workspace}."),
            Speech(self._user, started.input),
        )
        return Scene("INT", f"{self._user} AT THE KEYBOARD", clock(started.time), parts)

    def _noted(self, event: Note) -> None:
        if event.level != "debug" and not self._is_question(event):
            self._parts.append(elements.Note(NOTE + cut_middle(event.text, MOST_SAID)))

    def _is_question(self, event: Note) -> bool:
        """Where nobody answers, a gate's question is noted for the screen; on paper the gate tells it itself."""
        return self._gate is not None and event.text.startswith(f"{self._gate.header}\n{self._gate.question}\n")

    def _begun(self, event: StepStarted) -> None:
        self._steps[event.address] = event

    def _done(self, event: StepFinished) -> None:
        begun = self._steps.pop(event.address)
        if begun.kind == "agent":
            self._agent(begun, event)
        elif begun.kind == "check":
            self._parts.append(Aside(" — ".join(filter(None, (begun.name, event.detail or event.outcome)))))
        else:
            if event.outcome != "passed":
                self._parts.append(Aside(in_words(event.outcome, event.error)))
            self._close(event, event.address.replace("[", " ").rstrip("]"))

    def _agent(self, begun: StepStarted, event: StepFinished) -> None:
        """Its first line, and nothing else of what it said: the rest is its artefact."""
        spoke = self._spoke.pop(event.address, None)
        model = spoke.model if spoke else ""
        if spoke and spoke.remote:
            self._place = "EXT"
        if not event.reused:
            self._cast.append(f"{begun.name} ({model})" if model else begun.name)
        if event.detail:
            self._parts.append(Speech(stage_name(begun.name), event.detail, "back already" if event.reused else model))
        if event.outcome != "passed":
            self._parts.append(Aside(f"{begun.name}: {in_words(event.outcome, event.error)}"))

    def _asked(self, event: GateWaiting) -> None:
        self._gate = event

    def _answered(self, event: GateAnswered) -> None:
        if self._gate is None:
            return
        chosen = self._gate.label_of(event.choice)
        said = f"{chosen}\n{event.text}" if event.text else chosen
        self._parts += [*self._question(self._gate), Speech(self._user, said, _BY.get(event.by, ""))]
        self._close(event, f"GATE {event.gate}")
        self._gate = None

    def _question(self, gate: GateWaiting) -> Iterator[Element]:
        choices = "\n".join(f"{option.choice}: {option.label} — {option.description}" for option in gate.options)
        yield Speech(MACHINE, f"{gate.header}: {cut_middle(gate.question, MOST_SAID)}\n{choices}")

    def _close(self, event: Event, what: str) -> None:
        sent = [Action(f"Sent out: {', '.join(self._cast)}.")] if self._cast else []
        title = " ".join(filter(None, ("WORKFLOW", self._started.name, what))).upper()
        self._due.append(Scene(self._place, title, clock(event.time), (*sent, *self._parts)))
        self._parts, self._cast, self._place = [], [], "INT"


_BY = {"answer": "said beforehand"}
_TAKES: dict[type[Event], Callable[[UnfinishedWorkflow, Any], None]] = {
    Note: UnfinishedWorkflow._noted,
    StepStarted: UnfinishedWorkflow._begun,
    StepFinished: UnfinishedWorkflow._done,
    GateWaiting: UnfinishedWorkflow._asked,
    GateAnswered: UnfinishedWorkflow._answered,
}
