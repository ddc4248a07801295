"""The machine: each phase has one handler, and the state alone says which is next. No model has a say in that."""

from collections.abc import Awaitable, Callable

import msgspec

from onbook.outcome import Outcome
from onbook.workflow.files.artefacts import CHANGES, QA_REPORT, SPEC, VERIFY_REPORT
from onbook.workflow.finish.cleanup import finish
from onbook.workflow.options import Action, WorkflowOptions
from onbook.workflow.phases.evaluate import evaluate
from onbook.workflow.phases.findings import is_passed, outcome_of
from onbook.workflow.phases.generate import generate
from onbook.workflow.phases.plan import plan
from onbook.workflow.phases.spec_gate import confirm_spec
from onbook.workflow.phases.verdict import verdict
from onbook.workflow.phases.verify import after_verify, verify
from onbook.workflow.setup.conventions import conventions
from onbook.workflow.setup.setup import setup
from onbook.workflow.state.phase import Phase
from onbook.workflow.state.state import Ending
from onbook.workflow.styles import ENDS, ROAD_TO_GENERATE, check_prerequisites, next_command, suggestion
from onbook.workflow.work import Work


class Ended(msgspec.Struct, frozen=True):
    """How a call of the workflow ended, and the path of what it wrote last."""

    outcome: Outcome
    path: str = ""


OUTCOMES: dict[Ending, Outcome] = {
    "passed": Outcome.PASSED,
    "accepted": Outcome.PASSED,
    "max_rounds": Outcome.BELOW_THRESHOLD,
}


async def perform(work: Work, options: WorkflowOptions) -> Ended:
    """From where the state is, as far as this call goes."""
    action = options.action
    check_prerequisites(action, work.state, work.root, work.words)
    if work.state.run_style != options.run_style:
        work.advance(run_style=options.run_style)
    if action not in ENDS:
        return await _to_the_end(work, options)
    await _STEPS[action](work, options)
    if work.state.phase == "completed":
        return await _finished(work)
    return _stopped(work, action)


async def _to_the_end(work: Work, options: WorkflowOptions) -> Ended:
    while work.state.phase != "completed":
        await _HANDLERS[work.state.phase](work, options)
    return await _finished(work)


async def _finished(work: Work) -> Ended:
    """Step 8. Afterwards there is no state any more, so what is told of it is read before."""
    state = work.state
    assert state.outcome is not None  # noqa: S101 - no state is completed without
    await finish(work)
    return Ended(OUTCOMES[state.outcome], state.docs_path + QA_REPORT)


def _stopped(work: Work, action: Action) -> Ended:
    """A single phase is done: what it wrote, what it found, and what is next. It may have led elsewhere: to nothing
    that could be done, or back to the gate of a spec that has changed."""
    state = work.state
    if state.phase != ENDS[action]:
        work.say(suggestion(state, work.words))
        return Ended(Outcome.WAITING if state.phase == "plan_done" else Outcome.PASSED)
    path = state.docs_path + _WRITES[action]
    work.say(work.words("line.may_end", path=path, next=next_command(state)))
    return Ended(_found(work, action), path)


def _found(work: Work, action: Action) -> Outcome:
    match action:
        case "verify":
            has_passed = work.state.verify.layer1_result == "PASS"
        case "evaluate":
            has_passed = is_passed(work)
        case _:
            has_passed = True
    return outcome_of(passed=has_passed)


async def _plan_alone(work: Work, options: WorkflowOptions) -> None:
    """A workflow that was resumed and is further already is left where it is."""
    while work.state.phase in _BEFORE_PLANNED:
        await _HANDLERS[work.state.phase](work, options)


async def _generate_alone(work: Work, options: WorkflowOptions) -> None:
    """Across the gate of the spec. After a FAIL it is a retry or another round, as the machine would have made it;
    after a PASS there is nothing to make."""
    if work.state.phase == "verify_done" and work.state.verify.layer1_result != "PASS":
        await after_verify(work)
    elif work.state.phase == "evaluate_done" and not is_passed(work):
        await verdict(work)
    while work.state.phase in ROAD_TO_GENERATE:
        await _HANDLERS[work.state.phase](work, options)


async def _plan_ready(work: Work, options: WorkflowOptions) -> None:
    """Conventions first; with a spec that was given, there is nothing left to plan."""
    await conventions(work, options)
    if work.state.phase == "plan_ready":
        await plan(work)


Handler = Callable[[Work, WorkflowOptions], Awaitable[None]]


def _of(phase: Callable[[Work], Awaitable[None]]) -> Handler:
    async def handle(work: Work, options: WorkflowOptions) -> None:  # noqa: ARG001
        await phase(work)

    return handle


_STEPS: dict[Action, Handler] = {
    "plan": _plan_alone,
    "generate": _generate_alone,
    "verify": _of(verify),
    "evaluate": _of(evaluate),
}
_WRITES: dict[Action, str] = {"plan": SPEC, "generate": CHANGES, "verify": VERIFY_REPORT, "evaluate": QA_REPORT}
_BEFORE_PLANNED: tuple[Phase, ...] = ("setup", "plan_ready", "planning")
_HANDLERS: dict[Phase, Handler] = {
    "setup": setup,
    "plan_ready": _plan_ready,
    "planning": _of(plan),
    "plan_done": _of(confirm_spec),
    "generate_ready": _of(generate),
    "generating": _of(generate),
    "generate_done": _of(verify),
    "verify_ready": _of(verify),
    "verifying": _of(verify),
    "verify_done": _of(after_verify),
    "evaluate_ready": _of(evaluate),
    "evaluating": _of(evaluate),
    "evaluate_done": _of(verdict),
}
"""Every phase but the last, which is Step 8's."""
