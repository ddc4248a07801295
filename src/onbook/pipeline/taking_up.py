"""Which recorded run `--resume` goes on with, and by which call."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from onbook.config.percent import share_of
from onbook.journal.listing import RUNNING, Run
from onbook.journal.reading import all_runs, one_run
from onbook.outcome import Outcome, UsageError
from onbook.pipeline.call import PipelineCall, checked_confidence

KIND = "prompts"
"""What the journal calls a prompt pipeline."""
USAGE = "write --resume [CONFIDENCE%] [RUN]: the files are those of the run"


class TakenUp(msgspec.Struct, frozen=True):
    """A run to go on with."""

    run: str
    call: PipelineCall
    """As it was called, but for a confidence that was given anew."""


def run_to_take_up(root: Path, words: Sequence[str]) -> TakenUp:
    """The run that the words after `--resume` mean: `[CONFIDENCE%] [RUN]`."""
    confidence, run = _understood(words)
    found = _latest(root) if run is None else one_run(root, run)[0]
    return taken_up(found, confidence)


def taken_up(run: Run, confidence: str | None = None) -> TakenUp:
    """What to do to go on with this run; one clear line where there is nothing left to do."""
    if run.kind != KIND:
        raise UsageError(f"pipeline: run {run.id} is of another kind: onbook runs resume {run.id} goes on with it")
    if run.outcome == Outcome.PASSED.value:
        raise UsageError(f"pipeline: run {run.id} has passed: there is nothing to take up")
    call = PipelineCall.from_journal(run.call)
    if call is None:
        raise UsageError(f"pipeline: run {run.id} does not say how it was called: start it anew")
    return TakenUp(run.id, call if confidence is None else msgspec.structs.replace(call, confidence=confidence))


def _understood(words: Sequence[str]) -> tuple[str | None, str | None]:
    """The confidence and the run, of which either may be left out."""
    if not words:
        return None, None
    first, *rest = words
    is_confidence = first.endswith("%") or share_of(f"{first}%") is not None  # who left % out means no run's id
    confidence = checked_confidence(first) if is_confidence else None
    runs = rest if is_confidence else [first, *rest]
    if len(runs) > 1:
        raise UsageError(f"pipeline: {USAGE}")
    return confidence, runs[0] if runs else None


def _latest(root: Path) -> Run:
    for run in all_runs(root):
        if run.kind == KIND and run.outcome not in (Outcome.PASSED.value, RUNNING):
            return run
    raise UsageError("pipeline: there is nothing to take up: no pipeline of prompts has failed or was stopped here")
