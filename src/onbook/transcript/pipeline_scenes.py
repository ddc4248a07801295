"""A prompt pipeline whose events are still arriving: a step for each scene as it finishes, and a turn at the end."""

import msgspec

from onbook.events import RULE, AnyEvent, Note, PromptStep, RunFinished, RunStarted, StepFinished, StepStarted
from onbook.transcript.clock import clock
from onbook.transcript.steps import Step
from onbook.transcript.turns import Turn


class UnfinishedPipeline:
    """Gathers what was said in each step until the step has finished."""

    def __init__(self, started: RunStarted) -> None:
        self._started = started
        self._begun: dict[str, StepStarted] = {}
        self._heard: dict[str, tuple[PromptStep, Turn]] = {}
        self._notes: list[str] = []
        self._last: Step | None = None
        self._model = ""

    def take(self, event: AnyEvent) -> None:
        if isinstance(event, StepStarted):
            self._begun[event.address] = event
        elif isinstance(event, Note):
            self._notes.append(event.text)

    def hear(self, step: PromptStep, said: Turn) -> None:
        """The model has answered, or failed to."""
        self._heard[step.address] = step, said

    def finish_step(self, finished: StepFinished) -> Step:
        """The step as it will be recorded."""
        begun = self._begun.pop(finished.address)
        step = Step(
            self._started.run,
            finished.address,
            clock(begun.time),
            begun.name,
            begun.index,
            begun.total,
            self._started.input,
            self._started.workspace,
        )
        step = ended(step, finished)
        if heard := self._heard.pop(finished.address, None):
            step = answered(step, *heard)
        if self._last is not None and step.given.strip() == self._last.reply.strip():
            step = msgspec.structs.replace(step, given="")
        self._last, self._model = step, step.model or self._model
        return step

    @property
    def has_begun(self) -> bool:
        """Whether any step has a scene."""
        return self._last is not None

    def finish(self, finished: RunFinished, *, agent: str, model: str) -> Turn:
        """What the conversation has of it: the final reply, or why there is none. `model` is the session's."""
        return Turn(
            user=self._started.input,
            reply=finished.text if finished.outcome == "passed" else "",
            speaker=agent,
            model=model or self._model,
            remote=False,
            time=clock(finished.time),
            workspace=self._started.workspace,
            notes=tuple(self._notes),
            outcome=finished.outcome,
            error=finished.error,
            totals=finished.totals,
            pipeline=self._started.run,
        )


def answered(step: Step, asked: PromptStep, said: Turn) -> Step:
    """The step with who answered it, and what was said."""
    return msgspec.structs.replace(
        step,
        file=asked.file,
        index=asked.index,
        total=asked.total,
        speaker=said.speaker,
        model=said.model,
        remote=said.remote,
        instructed=asked.instructed,
        finish_reason=said.finish_reason,
        totals=said.totals,
        given=said.user.removesuffix(asked.body).removesuffix(RULE),
        body=asked.body.rstrip("\n"),
        notes=said.notes,
        reasoning=said.reasoning,
        reply=said.reply,
    )


def ended(step: Step, finished: StepFinished) -> Step:
    """The step with how it ended."""
    return msgspec.structs.replace(
        step,
        model=finished.model,
        reading=finished.reading,
        threshold=finished.threshold,
        outcome=finished.outcome,
        error=finished.error,
        reused=finished.reused,
    )
