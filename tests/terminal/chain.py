"""A prompt pipeline as its events tell it, for views that are tried without a model."""

from collections.abc import Sequence
from dataclasses import dataclass

from onbook.events import (
    ConfidenceRead,
    PromptStep,
    Reading,
    RunFinished,
    RunStarted,
    Sink,
    Speaker,
    StepFinished,
    StepStarted,
    TextDelta,
    Totals,
)

RUN = "r"


@dataclass
class Chain:
    """`/pipeline 90% setup.md step1.md …`, told step by step."""

    emit: Sink
    files: Sequence[str] = ("setup.md", "step1.md")
    kind: str = "pipeline"
    threshold: float = 0.9
    model: str = "llama3:latest"

    def begin(self) -> None:
        line = " ".join(("/pipeline 90%", *self.files))
        self.emit(RunStarted(run=RUN, time=0.0, kind=self.kind, name=" ".join(self.files), input=line, workspace="/w"))

    def ask(self, number: int, context_used: float | None = 0.12) -> None:
        """The step begins, and its model is asked."""
        file, total = self.files[number - 1], len(self.files)
        self.emit(
            StepStarted(run=RUN, time=0.0, address=file, name=file, kind="once", index=number, total=total),
        )
        step = PromptStep(RUN, file, number, total, file, "Do it.", instructed=True, context_used=context_used)
        speaker = Speaker("Harvey", self.model, remote=False)
        self.emit(
            RunStarted(
                run=f"p{number}", time=0.0, kind="prompt", input="Do it.", workspace="/w", speaker=speaker, step=step
            )
        )

    def say(self, number: int, *pieces: str) -> None:
        for piece in pieces:
            self.emit(TextDelta(run=f"p{number}", time=0.0, text=piece))

    def answered(self, number: int, text: str = "", money: float | None = None) -> None:
        totals = Totals(prompt_tokens=120, completion_tokens=45, seconds=1.2, money=money, context_used=0.5)
        self.emit(RunFinished(run=f"p{number}", time=0.0, outcome="passed", exit_code=0, text=text, totals=totals))

    def failed(self, number: int, error: str, outcome: str = "model_failed") -> None:
        """Its model fails, and so does the step."""
        self.emit(RunFinished(run=f"p{number}", time=0.0, outcome=outcome, exit_code=5, error=error))
        self.emit(
            StepFinished(run=RUN, time=0.0, address=self.files[number - 1], outcome=outcome, seconds=1.25, error=error)
        )

    def judged(self, number: int, score: float = 0.93, method: str = "block", *, reused: bool = False) -> None:
        """The step ends, as its reading says."""
        if not reused:
            self.emit(ConfidenceRead(run=f"p{number}", time=0.0, score=score, method=method, threshold=self.threshold))
        self.emit(
            StepFinished(
                run=RUN,
                time=0.0,
                address=self.files[number - 1],
                outcome="passed" if score >= self.threshold else "below_threshold",
                seconds=0.0 if reused else 1.25,
                reading=Reading(score, method),
                threshold=self.threshold,
                reused=reused,
            )
        )

    def reuse(self, number: int, score: float = 0.95) -> None:
        """The step is taken from the journal."""
        file = self.files[number - 1]
        self.emit(
            StepStarted(run=RUN, time=0.0, address=file, name=file, kind="once", index=number, total=len(self.files))
        )
        self.judged(number, score, reused=True)

    def step(self, number: int, text: str, score: float = 0.93, method: str = "block") -> None:
        """A whole step."""
        self.ask(number)
        self.say(number, *text.splitlines(keepends=True))
        self.answered(number, text)
        self.judged(number, score, method)

    def end(self, text: str = "", outcome: str = "passed", error: str = "", run: str = RUN) -> None:
        self.emit(RunFinished(run=run, time=0.0, outcome=outcome, exit_code=0, text=text, error=error))
