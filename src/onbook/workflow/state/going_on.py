"""Where a workflow goes on after a crash, a kill or a night: a row for each phase, read from the state and the disk."""

from collections.abc import Callable
from pathlib import Path

from onbook.workflow.files.artefacts import CHANGES, QA_REPORT, SPEC, VERIFY_REPORT, has_brought, is_spec_approved
from onbook.workflow.state.phase import APPROVED, Phase
from onbook.workflow.state.soundness import fix_of_this_round
from onbook.workflow.state.state import LAYER1_RETRIES, State


def where_to_go_on(state: State, root: Path) -> Phase:
    """The next phase on the way there, itself when it is there. No counter changes by going on.

    A spec that is not, or no longer, the one that was approved leads back to its gate from everywhere.
    """
    if state.phase in APPROVED and not is_spec_approved(root, state):
        return "plan_done"
    row = _ROWS.get(state.phase)
    return state.phase if row is None else row(state, root)


def _planning(state: State, root: Path) -> Phase:
    return "plan_done" if has_brought(root, state, SPEC) else "planning"


def _plan_done(state: State, root: Path) -> Phase:
    return "plan_done" if _is_there(root, state, SPEC) else "planning"


def _generating(state: State, root: Path) -> Phase:
    return "generate_done" if has_brought(root, state, CHANGES) else "generating"


def _generate_done(state: State, root: Path) -> Phase:
    return "generate_done" if _is_there(root, state, CHANGES) else "generating"


def _verify_done(state: State, root: Path) -> Phase:
    """An automatic fix of this round first: it was asked for, and its gate or its run is still to come."""
    match fix_of_this_round(state):
        case "proposed":
            return "verify_done"
        case "applied":
            return "verify_ready"
    if not _is_there(root, state, VERIFY_REPORT):
        return "verify_ready"
    if state.verify.layer1_result == "PASS":
        return "evaluate_ready"
    return "verify_done" if state.verify.layer1_retries >= LAYER1_RETRIES else "verify_ready"


def _evaluate_done(state: State, root: Path) -> Phase:
    return "evaluate_done" if _is_there(root, state, QA_REPORT) else "evaluate_ready"


def _is_there(root: Path, state: State, name: str) -> bool:
    return (root / state.docs_path / name).is_file()


_ROWS: dict[Phase, Callable[[State, Path], Phase]] = {
    "planning": _planning,
    "plan_done": _plan_done,
    "generating": _generating,
    "generate_done": _generate_done,
    "verify_done": _verify_done,
    "evaluate_done": _evaluate_done,
}
"""The others go on as they are: what they do is done again, and does no harm twice."""
