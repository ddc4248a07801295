"""How far one call goes by itself, what must be there before a single phase runs, and what is best done next."""

from pathlib import Path

import msgspec

from onbook.outcome import UsageError
from onbook.workflow.calling import to_type
from onbook.workflow.files.artefacts import CHANGES, SPEC, VERIFY_REPORT
from onbook.workflow.messages import Words
from onbook.workflow.options import Action
from onbook.workflow.state.phase import PHASES, Phase
from onbook.workflow.state.soundness import fix_of_this_round
from onbook.workflow.state.state import LAYER1_RETRIES, State
from onbook.workflow.status import phase_label

ENDS: dict[Action, Phase] = {
    "plan": "plan_done",
    "generate": "generate_done",
    "verify": "verify_done",
    "evaluate": "evaluate_done",
}
"""Where a call stops; those that are not here go to the end."""

ROAD_TO_GENERATE: tuple[Phase, ...] = ("planning", "plan_done", "generate_ready", "generating")
"""What `generate` does; after a FAIL it goes back there first, which counts as a retry or a round."""


class Prerequisite(msgspec.Struct, frozen=True):
    """What one phase needs."""

    files: tuple[str, ...]
    phase: Phase
    """The earliest in which it can run."""
    missing: str
    """What is said otherwise: a key of the catalogues."""
    first: str
    """The command that brings what is missing."""


PREREQUISITES: dict[Action, Prerequisite] = {
    "generate": Prerequisite((SPEC,), "plan_done", "session.plan_first", 'plan "task"'),
    "verify": Prerequisite((CHANGES,), "generate_done", "session.generate_first", "generate"),
    "evaluate": Prerequisite((SPEC, CHANGES, VERIFY_REPORT), "verify_done", "session.verify_first", "verify"),
}
"""Seed 4, "Step Mode Prerequisites"."""


def check_prerequisites(action: Action, state: State | None, root: Path, words: Words) -> None:
    """UsageError where the phase that was asked for cannot run yet, or not any more."""
    needs = PREREQUISITES.get(action)
    if needs is None:
        return
    is_met = state is not None and PHASES.index(state.phase) >= PHASES.index(needs.phase)
    if state is None or not is_met or not all((root / state.docs_path / name).is_file() for name in needs.files):
        raise UsageError(f"{words(needs.missing)}: {to_type(needs.first)}")
    if why := _in_the_way(action, state):
        raise UsageError(words(why))


def _in_the_way(action: Action, state: State) -> str:
    """What must be brought to its end before, where the files alone would do: a key of the catalogues."""
    if state.phase == "completed":
        return "session.only_end_left"
    if action == "verify" and state.phase == "evaluating":
        return "session.evaluation_cut_off"
    if action == "evaluate" and fix_of_this_round(state) in ("proposed", "applied"):
        return "session.fix_undecided"
    return ""


def suggestion(state: State, words: Words) -> str:
    """The next step, as the seed words it, and how it is done."""
    command = next_command(state)
    key = _ASKED.get((state.phase, command), "session.run_next")
    asked = words(key, phase=phase_label(state.phase, words), next=command)
    return f"{asked} {to_type(command)}"


def next_command(state: State) -> str:
    """What to type after `onbook workflow` or `/workflow`: the next phase, as far as it can be run alone."""
    match state.phase:
        case "plan_done":
            return "generate"
        case "generate_done":
            return "verify"
        case "verify_done":
            return _after_checks(state)
    return "resume"


def _after_checks(state: State) -> str:
    """A FAIL goes back to generate as long as it may; at the limit, and with a fix under way, somebody decides."""
    if state.verify.layer1_result == "PASS":
        return "evaluate"
    is_decided = fix_of_this_round(state) not in ("proposed", "applied")
    return "generate" if is_decided and state.verify.layer1_retries < LAYER1_RETRIES else "resume"


_ASKED: dict[tuple[Phase, str], str] = {
    ("plan_done", "generate"): "session.run_generate",
    ("generate_done", "verify"): "session.run_verify",
    ("verify_done", "evaluate"): "session.run_evaluate",
}
