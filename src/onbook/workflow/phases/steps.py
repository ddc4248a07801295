"""Phases as steps of the run: each has an address that no other of the run has, and that a resume gives again."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, get_args

from onbook.events import StepFinished, StepStarted
from onbook.outcome import OnbookError, Outcome
from onbook.workflow.state.soundness import fix_of_this_round
from onbook.workflow.state.state import LAYER1_RETRIES, LAYER2_RETRIES, State
from onbook.workflow.work import Work

PhaseName = Literal["plan", "generate", "verify", "evaluate"]
PHASE_NAMES: tuple[PhaseName, ...] = get_args(PhaseName)

_TRIES = LAYER1_RETRIES + 2
"""Runs of the checks between two evaluations: the first, the retries, and the one after an automatic fix."""
_PER_ROUND = _TRIES * (LAYER2_RETRIES + 1)


def phase_address(state: State, name: PhaseName) -> str:
    """`generate`, and `generate[2]` for the first retry: the number grows with every retry and every round."""
    number = 1 if name == "plan" else 1 + _earlier(state)
    return name if number == 1 else f"{name}[{number}]"


@dataclass
class PhaseStep:
    """A phase that is under way."""

    address: str
    outcome: Outcome = Outcome.PASSED
    """How it ends, unless it is interrupted; a FAIL that was found is no success."""

    def found(self, *, passed: bool) -> None:
        """What it was about has passed, or not."""
        self.outcome = Outcome.PASSED if passed else Outcome.BELOW_THRESHOLD


@contextmanager
def phase_step(work: Work, name: PhaseName) -> Iterator[PhaseStep]:
    """The phase while it lasts."""
    address, began = phase_address(work.state, name), time.monotonic()
    step = PhaseStep(address)
    work.live.emit(
        StepStarted(
            run=work.run,
            time=time.time(),
            address=address,
            name=name,
            kind="phase",
            index=PHASE_NAMES.index(name) + 1,
            total=len(PHASE_NAMES),
        )
    )
    outcome, error = Outcome.FAILED, ""
    try:
        yield step
        outcome = step.outcome
    except asyncio.CancelledError:
        outcome = Outcome.CANCELLED
        raise
    except OnbookError as problem:
        outcome, error = problem.outcome, str(problem)
        raise
    finally:
        work.live.emit(
            StepFinished(
                run=work.run,
                time=time.time(),
                address=address,
                outcome=outcome.value,
                seconds=time.monotonic() - began,
                error=error,
            )
        )


def _earlier(state: State) -> int:
    """How many tries can have been before this one, at most."""
    tries = _TRIES - 1 if fix_of_this_round(state) == "applied" else state.verify.layer1_retries
    return (state.round - 1) * _PER_ROUND + state.verify.layer2_retries * _TRIES + tries
