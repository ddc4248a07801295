"""The line of one step that has ended, in the forms that the seeds fix, and what is said of one that runs.

`Step 1/2: detect_files ........................ 0.12s ✓` is seed 5's: the dots end in column 47.
`Step 1/3 [setup.md] — confidence: 0.91 ✓` is seed 1's, for the steps of a prompt pipeline.
"""

from collections.abc import Callable

import msgspec

from onbook.cells import shortened, width
from onbook.events import PromptStep, Reading, StepFinished, StepStarted
from onbook.words import compared

DOTS_END = 47
_FEWEST_DOTS = 3
_LONGEST_ITEM = 38
"""So that the dots of an item line up too."""


class Line(msgspec.Struct, frozen=True):
    """A line that is ready but for its place: how deep it stands is known when everything around it has ended."""

    text: str
    ending: str = ""
    """What comes after the dots, if it has dots."""
    depth: int = 0

    def __str__(self) -> str:
        text = "  " * self.depth + self.text
        if not self.ending:
            return text
        return f"{text} {'.' * max(DOTS_END - width(text) - 1, _FEWEST_DOTS)} {self.ending}"

    @property
    def inside(self) -> "Line":
        return msgspec.structs.replace(self, depth=self.depth + 1)


EndLine = Callable[[StepStarted, StepFinished], Line]
"""Makes the line of a step that has ended."""


def step_line(started: StepStarted, event: StepFinished) -> Line:
    """The line of a script, or of a prompt among scripts."""
    remarks = []
    if event.outcome == "cancelled":
        remarks.append("cancelled")
    elif told := _told_reading(event):
        score, threshold = shown_score(told, event.threshold)
        remarks.append(f"confidence: {score}{f' (threshold: {threshold})' if is_below(event) else ''}")
        remarks.append(told.weakness)
    elif event.outcome == "passed" and not event.reused:
        remarks.append(event.detail)
    if event.reused:
        remarks.append("reused")
    return _dotted(step_label(started), event, " · ".join(filter(None, remarks)))


def pipeline_line(started: StepStarted, event: StepFinished) -> Line:
    """The line of a prompt pipeline's step. One that has no reading failed for another reason."""
    name = f"Step {started.index}/{started.total} [{started.name}]"
    reading = _told_reading(event)
    if reading is None:
        remark = "cancelled" if event.outcome == "cancelled" else "reused" if event.reused else ""
        return _dotted(name, event, remark)
    score, threshold = shown_score(reading, event.threshold)
    mark = f"✗ (threshold: {threshold})" if is_below(event) else "✓"
    remarks = (f"{name} — confidence: {score} {mark}", reading.weakness, "reused" if event.reused else "")
    return Line(" · ".join(filter(None, remarks)))


def is_below(event: StepFinished) -> bool:
    """Whether the step ended because its model was not sure enough: its line says so, and says all there is to say."""
    return event.outcome == "below_threshold" and event.reading is not None


def shown_score(reading: Reading, threshold: float | None) -> tuple[str, str]:
    """The score and what it is measured by, as people read them."""
    return (f"{reading.score:.2f}", "") if threshold is None else compared(reading.score, threshold)


def step_label(started: StepStarted) -> str:
    """Which step it is: `Step 2/3: lint_all`, `round 1/5`, `item 3/40: a.py`."""
    place = f"{started.index}/{started.total}"
    if started.kind == "round":
        return f"round {place}"
    if started.kind == "item":
        return shortened(f"item {place}: {' '.join(started.name.split())}", _LONGEST_ITEM)
    return started.name if "/" in started.address else f"Step {place}: {started.name}"


def prompt_label(step: PromptStep) -> str:
    """What is said while a step's model works: `[1/3] setup.md | context 12%` (seed 1)."""
    context = "?" if step.context_used is None else f"{step.context_used:.0%}"
    return f"[{step.index}/{step.total}] {step.file} | context {context}"


def _told_reading(event: StepFinished) -> Reading | None:
    """The reading that decided how the step ended, if one did."""
    return event.reading if event.outcome in ("passed", "below_threshold") else None


def _dotted(label: str, event: StepFinished, remark: str) -> Line:
    mark = "✓" if event.outcome == "passed" else "✗"
    return Line(label, f"{event.seconds:.2f}s {mark} {remark}".rstrip())
