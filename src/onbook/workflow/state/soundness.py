"""What every state must be, read from a file or about to be written: a table of fields and what holds of them."""

from collections.abc import Callable

import msgspec

from onbook.workflow.files.artefacts import MADE
from onbook.workflow.state.phase import PHASES, Phase
from onbook.workflow.state.state import LAYER1_RETRIES, LAYER2_RETRIES, SKILL, VERSION, Applied, State

PAST_THE_CHECKS: tuple[Phase, ...] = PHASES[PHASES.index("verify_done") : PHASES.index("completed")]
BRANCHES = "harness/"
_BEFORE_THE_GATE: tuple[Phase, ...] = PHASES[: PHASES.index("generate_ready")]


class Unsound(msgspec.Struct, frozen=True):
    """A field whose value cannot stand there, and what could."""

    field: str
    why: str


def unsoundness(state: State) -> Unsound | None:
    """The first thing that no state may have."""
    return next((Unsound(field, why) for field, is_sound, why in _STATES if not is_sound(state)), None)


def fix_of_this_round(state: State) -> Applied | None:
    """How far the automatic fix of the round under way is; one of an older round steers nothing."""
    return state.autofix.applied if state.autofix is not None and state.autofix.round == state.round else None


def _is_attempt_told(state: State) -> bool:
    """I1."""
    is_decided = state.autofix is not None and state.autofix.applied != "proposed"
    return state.verify.autofix_attempted == is_decided


def _has_layer1_result(state: State) -> bool:
    """Nothing is past the checks without a run of them; a patch that was applied awaits its own."""
    if state.phase == "verify_done" and fix_of_this_round(state) == "applied":
        return True
    return state.phase not in PAST_THE_CHECKS or state.verify.layer1_result is not None


def _is_own_path(state: State, path: str) -> bool:
    folders = tuple(folder for folder in (".harness/", state.docs_path) if folder)
    return path.startswith(folders) and not {"..", ".", ""} & set(path.split("/"))


def _is_own_file(state: State, path: str) -> bool:
    """What a workflow makes in its folder, it makes by these names: a state that came with a cloned folder cannot have
    anything else deleted."""
    return _is_own_path(state, path) and path.removeprefix(state.docs_path) in MADE


_STATES: tuple[tuple[str, Callable[[State], bool], str], ...] = (
    ("skill", lambda state: state.skill == SKILL, f'must be "{SKILL}"'),
    ("version", lambda state: state.version == VERSION, f'must be "{VERSION}"'),
    ("task", lambda state: state.task.strip() != "", "must not be empty"),
    ("mode", lambda state: state.phase == "setup" or state.mode is not None, "is needed after setup"),
    ("model_config", lambda state: state.phase == "setup" or state.model_config is not None, "is needed after setup"),
    ("docs_path", lambda state: state.phase == "setup" or state.docs_path.endswith("/"), "must end with a slash"),
    (
        "branch",
        lambda state: not state.branch or state.branch.startswith(BRANCHES),
        f"must begin with {BRANCHES}, since it is committed to",
    ),
    ("max_rounds", lambda state: state.max_rounds >= 1, "must be 1 or more"),
    ("round", lambda state: 1 <= state.round <= state.max_rounds, "must be from 1 to max_rounds"),
    ("max_files", lambda state: state.max_files >= 1, "must be 1 or more"),
    (
        "verify.layer1_retries",
        lambda state: 0 <= state.verify.layer1_retries <= LAYER1_RETRIES,
        f"must be from 0 to {LAYER1_RETRIES}",
    ),
    (
        "verify.layer2_retries",
        lambda state: 0 <= state.verify.layer2_retries <= LAYER2_RETRIES,
        f"must be from 0 to {LAYER2_RETRIES}",
    ),
    ("verify.layer1_result", _has_layer1_result, "is needed after the checks"),
    (
        "verify.layer1_result",
        lambda state: state.phase not in ("verify_ready", "verifying") or state.verify.layer1_result is None,
        "must be null until the checks have run",
    ),
    (
        "verify.layer2_result",
        lambda state: state.phase != "evaluate_done" or state.verify.layer2_result is not None,
        "is needed when the evaluator is done",
    ),
    (
        "verify.layer2_result",
        lambda state: state.phase not in ("evaluate_ready", "evaluating") or state.verify.layer2_result is None,
        "must be null until the evaluator is done",
    ),
    ("verify.autofix_attempted", _is_attempt_told, "must be true exactly when the automatic fix was decided on"),
    (
        "autofix.round",
        lambda state: state.autofix is None or 1 <= state.autofix.round <= state.round,
        "must be a round that was",
    ),
    (
        "autofix.last_patch_path",
        lambda state: state.autofix is None or _is_own_path(state, state.autofix.last_patch_path),
        "must be a path below .harness/",
    ),
    (
        "spec_sha256",
        lambda state: state.phase not in _BEFORE_THE_GATE or state.spec_sha256 is None,
        "must be null until the spec is approved",
    ),
    (
        "dispatches",
        lambda state: all(not each.artefact or _is_own_path(state, each.artefact) for each in state.dispatches),
        "must name artefacts below .harness/ or docs_path",
    ),
    (
        "manifest",
        lambda state: all(_is_own_file(state, each) for each in state.manifest),
        f"must name files below docs_path that a workflow makes: {', '.join(MADE)}",
    ),
    (
        "outcome",
        lambda state: (state.outcome is not None) == (state.phase == "completed"),
        "is needed when completed, and only then",
    ),
    ("finalized", lambda state: not state.finalized or state.phase == "completed", "must be false until completed"),
)
"""Field, what must hold, and the sentence for whoever finds that it does not."""
