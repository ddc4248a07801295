"""Phases as steps of the run: each has an address that no other of the run has, and that a resume gives again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

from onbook.workflow.state.phase import Phase
from onbook.workflow.state.soundness import fix_of_this_round
from onbook.workflow.state.state import LAYER1_RETRIES, LAYER2_RETRIES, State
from onbook.workflow.telling import Step, told_step
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


def address_now(state: State) -> str:
    """That of the phase which the state is in, or about to begin."""
    return phase_address(state, _NAMES[state.phase])


@contextmanager
def phase_step(work: Work, name: PhaseName) -> Iterator[Step]:
    """The phase while it lasts."""
    place = (PHASE_NAMES.index(name) + 1, len(PHASE_NAMES))
    with told_step(work, phase_address(work.state, name), name, "phase", place) as step:
        yield step


def _earlier(state: State) -> int:
    """How many tries can have been before this one, at most."""
    tries = _TRIES - 1 if fix_of_this_round(state) == "applied" else state.verify.layer1_retries
    return (state.round - 1) * _PER_ROUND + state.verify.layer2_retries * _TRIES + tries


_NAMES: dict[Phase, PhaseName] = {
    "setup": "plan",
    "plan_ready": "plan",
    "planning": "plan",
    "plan_done": "plan",
    "generate_ready": "generate",
    "generating": "generate",
    "generate_done": "generate",
    "verify_ready": "verify",
    "verifying": "verify",
    "verify_done": "verify",
    "evaluate_ready": "evaluate",
    "evaluating": "evaluate",
    "evaluate_done": "evaluate",
    "completed": "evaluate",
}
