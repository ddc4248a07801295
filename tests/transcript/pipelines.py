"""A prompt pipeline as its runner would emit it."""

from collections.abc import Iterator

from onbook.events import (
    AnyEvent,
    ConfidenceRead,
    Note,
    PromptStep,
    Reading,
    ReasoningDelta,
    RunFinished,
    RunStarted,
    Speaker,
    StepFinished,
    StepStarted,
    TextDelta,
    Totals,
)
from tests.transcript.conversation import HARVEY, NOW

LINE = "/pipeline 90% setup.md step1.md step2.md"
SURE, UNSURE = Reading(0.91, "block", "the text says so"), Reading(0.72, "follow-up")
SPENT = Totals(prompt_tokens=40, completion_tokens=12, seconds=1.25)


def begun(run: str = "r1", line: str = LINE, kind: str = "pipeline") -> RunStarted:
    return RunStarted(run=run, time=NOW, kind=kind, input=line, name="setup.md step1.md step2.md", workspace="/home/w")


def ended(outcome: str = "passed", text: str = "", error: str = "") -> RunFinished:
    return RunFinished(
        run="r1", time=NOW + 180, outcome=outcome, exit_code=0, text=text, error=error, totals=Totals(seconds=9)
    )


def step(
    index: int,
    file: str,
    reply: str,
    reading: Reading | None = SURE,
    *,
    given: str = "",
    body: str = "",
    speaker: Speaker = HARVEY,
    outcome: str = "passed",
    error: str = "",
    thought: str = "",
    notes: tuple[str, ...] = (),
    instructed: bool = True,
    threshold: float | None = 0.9,
    address: str = "",
) -> Iterator[AnyEvent]:
    run, now, address = f"p{index}", NOW + 60 * index - 60, address or file
    body = body or f"Text of {file}\n"
    yield StepStarted(run="r1", time=now, address=address, name=file, kind="once", index=index, total=3)
    asked = f"{given}\n\n---\n\n{body}" if given else body
    of = PromptStep("r1", address, index, 3, file, body, instructed, 0.12)
    yield RunStarted(run=run, time=now, kind="prompt", input=asked, workspace="/home/w", speaker=speaker, step=of)
    if thought:
        yield ReasoningDelta(run=run, time=now, text=thought)
    for text in notes:
        yield Note(run=run, time=now, text=text)
    yield TextDelta(run=run, time=now, text=reply)
    if reading is not None:
        yield ConfidenceRead(run=run, time=now, score=reading.score, method=reading.method, threshold=threshold)
    answered = outcome in ("passed", "below_threshold")
    yield RunFinished(
        run=run,
        time=now,
        outcome="passed" if answered else outcome,
        exit_code=0,
        text=reply,
        reasoning=thought,
        error=error,
        totals=SPENT,
    )
    yield StepFinished(
        run="r1",
        time=now,
        address=address,
        outcome=outcome,
        seconds=1.25,
        error=error,
        reading=reading,
        threshold=None if reading is None else threshold,
    )


def reused(index: int, file: str, reading: Reading = SURE) -> Iterator[AnyEvent]:
    yield StepStarted(run="r1", time=NOW, address=file, name=file, kind="once", index=index, total=3)
    yield StepFinished(
        run="r1", time=NOW, address=file, outcome="passed", seconds=0, reused=True, reading=reading, threshold=0.9
    )
