"""What a state may become: every guard of the machine, as a table. A step that it does not have is never written."""

from collections.abc import Callable
from typing import Literal

from onbook.outcome import OnbookError
from onbook.workflow.state.phase import APPROVED, Phase, may_go
from onbook.workflow.state.soundness import fix_of_this_round, unsoundness
from onbook.workflow.state.state import LAYER1_RETRIES, Applied, State

FIXES: dict[Applied | None, tuple[Applied, ...]] = {
    None: ("proposed",),
    "proposed": ("applied", "rejected", "apply_failed", "halted"),
    "applied": ("passed", "stopped"),
}
"""The seed's table of the automatic fix, as the decisions amend it. Where nothing follows, it stays for good."""

_UNDECIDED: tuple[Applied, ...] = ("proposed", "applied")
Move = Literal["next round", "layer 1 retry", "layer 2 retry"]
_MOVES: dict[tuple[Phase, Phase], Move] = {
    ("evaluate_done", "generate_ready"): "next round",
    ("verify_done", "generating"): "layer 1 retry",
    ("evaluate_done", "generating"): "layer 2 retry",
}
"""The steps that count something."""


class IllegalStep(OnbookError):
    """A step that the machine does not have: a mistake of ours, and nothing was written."""

    def __init__(self, old: State, new: State, why: str) -> None:
        self.why = why
        super().__init__(f"workflow: no step from {old.phase} to {new.phase}: {why}; nothing was written")


def check_step(old: State, new: State) -> None:
    """IllegalStep unless the machine may go from the one to the other."""
    if (unsound := unsoundness(new)) is not None:
        raise IllegalStep(old, new, f"{unsound.field}: {unsound.why}")
    broken = next((why for may, why in _STEPS if not may(old, new)), None)
    if broken is not None:
        raise IllegalStep(old, new, broken)


def may_offer_autofix(state: State) -> bool:
    """I2: whether the gate `verify` shows the automatic fix: once in a workflow, whatever became of it."""
    return state.autofix is None and not state.verify.autofix_attempted


def _move(old: State, new: State) -> Move | None:
    return _MOVES.get((old.phase, new.phase))


def _rounds_are_counted(old: State, new: State) -> bool:
    return new.round == old.round + (_move(old, new) == "next round")


def _limit_is_kept(old: State, new: State) -> bool:
    """Setup sets it; `extend` at the gate `rounds` adds one."""
    return old.phase == "setup" or new.max_rounds - old.max_rounds in ((0, 1) if old.phase == "evaluate_done" else (0,))


def _layer1_retries_are_counted(old: State, new: State) -> bool:
    """Anew for each round and each Layer 2 retry; by a resume, never."""
    match _move(old, new):
        case "layer 1 retry":
            return new.verify.layer1_retries == old.verify.layer1_retries + 1
        case "next round" | "layer 2 retry":
            return new.verify.layer1_retries == 0
    return new.verify.layer1_retries == old.verify.layer1_retries


def _layer2_retries_are_counted(old: State, new: State) -> bool:
    match _move(old, new):
        case "layer 2 retry":
            return new.verify.layer2_retries == old.verify.layer2_retries + 1
        case "next round":
            return new.verify.layer2_retries == 0
    return new.verify.layer2_retries == old.verify.layer2_retries


def _retries_have_a_reason(old: State, new: State) -> bool:
    match _move(old, new):
        case "layer 1 retry":
            return old.verify.layer1_result == "FAIL"
        case "layer 2 retry":
            return old.verify.layer2_result == "FAIL"
    return True


def _spec_is_approved_at_its_gate(old: State, new: State) -> bool:
    if new.spec_sha256 is None or new.spec_sha256 == old.spec_sha256:
        return True
    return (old.phase, new.phase) == ("plan_done", "generate_ready")


def _layer1_result_comes_from_a_run(old: State, new: State) -> bool:
    if new.verify.layer1_result in (None, old.verify.layer1_result):
        return True
    return (old.phase, new.phase) == ("verifying", "verify_done")


def _fix_is_decided_before_evaluating(old: State, new: State) -> bool:
    is_leaving = (old.phase, new.phase) == ("verify_done", "evaluate_ready")
    return not is_leaving or fix_of_this_round(new) not in _UNDECIDED


def _layer2_result_comes_from_the_evaluator(old: State, new: State) -> bool:
    if new.verify.layer2_result in (None, old.verify.layer2_result):
        return True
    return (old.phase, new.phase) == ("evaluating", "evaluate_done")


def _fix_follows_its_table(old: State, new: State) -> bool:
    was = old.autofix.applied if old.autofix is not None else None
    now = new.autofix.applied if new.autofix is not None else None
    return now == was or (now is not None and now in FIXES.get(was, ()))


def _fix_begins_at_the_limit(old: State, new: State) -> bool:
    if old.autofix is not None or new.autofix is None:
        return True
    is_at_limit = new.verify.layer1_result == "FAIL" and new.verify.layer1_retries == LAYER1_RETRIES
    return new.phase == "verify_done" and is_at_limit and new.autofix.round == new.round


def _fix_keeps_its_round(old: State, new: State) -> bool:
    return old.autofix is None or new.autofix is None or old.autofix.round == new.autofix.round


def _fix_is_judged_by_a_run(old: State, new: State) -> bool:
    if old.autofix is None or new.autofix is None or old.autofix.applied == new.autofix.applied:
        return True
    wanted = {"passed": "PASS", "stopped": "FAIL"}.get(new.autofix.applied)
    return wanted is None or (new.phase == "verify_done" and new.verify.layer1_result == wanted)


def _ending_is_true(old: State, new: State) -> bool:
    if old.outcome is not None:
        return new.outcome == old.outcome
    match new.outcome:
        case "passed":
            return new.verify.layer2_result == "PASS"
        case "max_rounds":
            return new.round == new.max_rounds
    return True


def _identity_stays(old: State, new: State) -> bool:
    is_same_place = old.phase == "setup" or (old.docs_path, old.slug) == (new.docs_path, new.slug)
    return new.task == old.task and new.created_at == old.created_at and is_same_place


_STEPS: tuple[tuple[Callable[[State, State], bool], str], ...] = (
    (lambda old, new: may_go(old.phase, new.phase), "the table has none"),
    (_identity_stays, "task, created_at, slug and docs_path stay what they are"),
    (_spec_is_approved_at_its_gate, "a spec is approved at its gate alone"),
    (lambda _, new: new.spec_sha256 is not None or new.phase not in APPROVED, "no spec is approved"),
    (_rounds_are_counted, "a round is counted when the next one begins, and only then"),
    (_limit_is_kept, "max_rounds grows by one at the gate rounds, and only there"),
    (_layer1_retries_are_counted, "layer1_retries grows by one with a retry and begins anew with a round"),
    (_layer2_retries_are_counted, "layer2_retries grows by one with a retry and begins anew with a round"),
    (_retries_have_a_reason, "only a FAIL is retried"),
    (_layer1_result_comes_from_a_run, "PASS and FAIL come from a run of the checks"),
    (_fix_is_decided_before_evaluating, "an automatic fix is undecided"),
    (_layer2_result_comes_from_the_evaluator, "PASS and FAIL of Layer 2 come from the evaluator"),
    (_fix_follows_its_table, "the automatic fix has no such step, and is never cleared"),
    (_fix_begins_at_the_limit, "an automatic fix begins when the last retry has failed"),
    (_fix_keeps_its_round, "an automatic fix stays in its round"),
    (_fix_is_judged_by_a_run, "a run of the checks says whether the fix has passed"),
    (
        lambda old, new: new.phase != "completed" or new.verify == old.verify,
        "what was found is not told anew at the end",
    ),
    (_ending_is_true, "the outcome does not fit what happened"),
)
"""What must hold between the old state and the new one, and the sentence for whoever breaks it."""
