"""A run of steps as every view shows it: the lines of its steps, what its models say meanwhile, its closing table."""

from onbook.events import PromptStep, RunFinished, RunStarted, StepFinished, StepStarted, TextDelta
from onbook.terminal.pipeline_table import Answered, row_of, table_of
from onbook.terminal.step_lines import pipeline_line, prompt_label, step_line
from onbook.terminal.steps_view import Steps


def is_flow(started: RunStarted) -> bool:
    """Whether the run is one of steps."""
    return started.kind in ("script", "workflow", "pipeline") and bool(started.name)


def header(started: RunStarted) -> str:
    """`[Pipeline: context_pipeline]`. A prompt pipeline has none: its name is what was typed just before."""
    if started.kind == "pipeline":
        return ""
    return f"[{'Workflow' if started.kind == 'workflow' else 'Pipeline'}: {started.name}]"


class FlowView:
    """One run of steps. Nothing here prints."""

    def __init__(self, started: RunStarted) -> None:
        self.is_pipeline = started.kind == "pipeline"
        """Whether it is a chain of prompts, whose last reply is the answer."""
        self._steps = Steps(pipeline_line if self.is_pipeline else step_line)
        self._begun: dict[str, StepStarted] = {}
        self._asked: dict[str, RunStarted] = {}
        self._answered: dict[str, Answered] = {}
        self._heard: list[str] = []
        self._rows: list[tuple[str, ...]] = []

    @property
    def label(self) -> str:
        """What goes on at the moment: `[1/3] setup.md | context 12%` while a model works, else `Step 2/3: lint_all`,
        and how far it is with many parts; nothing between two steps. Any thread may ask."""
        step = next((started.step for started in reversed(list(self._asked.values()))), None)
        parts = (prompt_label(step) if step is not None else self._steps.label, self._steps.progress)
        return " | ".join(filter(None, parts))

    def asks(self, event: RunStarted) -> None:
        """A step's model is asked."""
        self._asked[event.run] = event

    def hears(self, event: TextDelta) -> None:
        """It says something."""
        if self.is_pipeline:
            self._heard.append(event.text)

    def heard_all(self, event: RunFinished) -> None:
        """It has said all, or failed."""
        started = self._asked.pop(event.run, None)
        if started is not None and started.step is not None and started.speaker is not None:
            self._answered[started.step.address] = Answered(started.speaker.model, event.totals)

    def take(self, event: StepStarted | StepFinished) -> list[str]:
        """The lines that can be said for good."""
        if self.is_pipeline:
            self._note_down(event)
        return self._steps.take(event)

    def has_told(self, finished: RunFinished) -> bool:
        """Whether the line of a step has said already why the run ended."""
        return self._steps.has_told(finished)

    def has_let_hear(self, finished: RunFinished) -> bool:
        """Whether the answer is what the last model was heard to say; of several samples another one may go on."""
        return "".join(self._heard).strip() == finished.text.strip()

    def table(self, columns: int | None) -> list[str]:
        """What closes a pipeline: a row for each step that has ended."""
        return table_of(self._rows, columns)

    def _note_down(self, event: StepStarted | StepFinished) -> None:
        if isinstance(event, StepStarted):
            self._begun[event.address] = event
            self._heard = []
        elif (started := self._begun.pop(event.address, None)) is not None:
            self._rows.append(row_of(started, event, self._answered.pop(event.address, None)))


def is_last(step: PromptStep | None) -> bool:
    """Whether what the step's model says is the answer, if it passes."""
    return step is not None and step.index == step.total
