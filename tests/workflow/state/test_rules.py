"""The machine cannot be left: what may be written, and what never is."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from onbook.workflow.state.phase import APPROVED, NEXT, PHASES, Phase, diagram, may_go
from onbook.workflow.state.rules import FIXES, IllegalStep, check_step, may_offer_autofix
from onbook.workflow.state.soundness import unsoundness
from onbook.workflow.state.state import Dispatch, State, Verify
from tests.workflow.states import fix, state_at

DOCS = Path(__file__).parents[3] / "docs"
AT_LIMIT = {"layer1_result": "FAIL", "layer1_retries": 3}


def after(state: State, phase: Phase, **changes: Any) -> State:
    verify = msgspec.structs.replace(state.verify, **changes.pop("verify", {}))
    return msgspec.structs.replace(state, phase=phase, verify=verify, **changes)


def refusal(old: State, new: State) -> str:
    with pytest.raises(IllegalStep) as caught:
        check_step(old, new)
    return caught.value.why


def test_the_seeds_happy_path_is_in_the_table() -> None:
    """plan_ready → planning → … → completed, as it draws it."""
    assert all(may_go(old, new) for old, new in pairwise(PHASES))


def test_every_phase_can_be_written_again_after_a_crash() -> None:
    for phase in PHASES:
        check_step(state_at(phase), state_at(phase, updated_at="2026-05-20T16:00:00Z"))


@pytest.mark.parametrize("old", PHASES)
def test_a_step_outside_the_table_is_never_written(old: Phase) -> None:
    for new in PHASES:
        if not may_go(old, new):
            assert refusal(state_at(old), state_at(new))


@pytest.mark.parametrize("phase", APPROVED)
def test_a_changed_spec_leads_back_to_its_gate_from_everywhere(phase: Phase) -> None:
    check_step(state_at(phase), after(state_at(phase), "plan_done", spec_sha256=None))


def test_nothing_follows_completed() -> None:
    assert NEXT["completed"] == {}
    assert not may_go("completed", "plan_done")


@pytest.mark.parametrize("phase", ["generate_ready", "generating", "generate_done", "verify_ready", "evaluate_ready"])
def test_no_phase_after_the_gate_is_written_without_an_approved_spec(phase: Phase) -> None:
    assert refusal(state_at(phase), state_at(phase, spec_sha256=None)) == "no spec is approved"


def test_a_spec_is_approved_by_the_step_from_its_gate_and_by_no_other() -> None:
    check_step(state_at("plan_done"), state_at("generate_ready"))
    other = state_at("generating", spec_sha256="6" * 64)
    assert refusal(state_at("generate_ready"), other) == "a spec is approved at its gate alone"
    assert "spec_sha256" in refusal(state_at("plan_done"), state_at("plan_done", spec_sha256="6" * 64))


def test_going_back_to_the_gate_gives_the_approval_up() -> None:
    assert "spec_sha256" in refusal(state_at("generating"), after(state_at("generating"), "plan_done"))


class TestLayer1Retries:
    def test_grow_by_one_when_a_failure_goes_back_to_the_generator(self) -> None:
        failed = state_at("verify_done", verify={"layer1_result": "FAIL"})
        check_step(failed, after(failed, "generating", verify={"layer1_retries": 1}))
        assert "layer1_retries" in refusal(failed, after(failed, "generating"))
        assert "layer1_retries" in refusal(failed, after(failed, "generating", verify={"layer1_retries": 2}))

    def test_are_three_at_most(self) -> None:
        failed = state_at("verify_done", verify=AT_LIMIT)
        assert "from 0 to 3" in refusal(failed, after(failed, "generating", verify={"layer1_retries": 4}))

    def test_need_a_failure(self) -> None:
        passed = state_at("verify_done")
        assert refusal(passed, after(passed, "generating", verify={"layer1_retries": 1})) == "only a FAIL is retried"

    def test_are_not_reset_by_verifying_again(self) -> None:
        failed = state_at("verify_done", verify={"layer1_result": "FAIL", "layer1_retries": 2})
        again = {"layer1_result": None, "layer1_retries": 0}
        assert "layer1_retries" in refusal(failed, after(failed, "verify_ready", verify=again))

    def test_begin_anew_with_a_layer_2_retry(self) -> None:
        failed = state_at("evaluate_done", verify={"layer2_result": "FAIL", "layer1_retries": 2})
        anew = {"layer2_retries": 1, "layer1_retries": 0}
        check_step(failed, after(failed, "generating", verify=anew))
        assert "layer1_retries" in refusal(failed, after(failed, "generating", verify={"layer2_retries": 1}))


class TestLayer2Retries:
    def test_are_two_at_most(self) -> None:
        failed = state_at("evaluate_done", verify={"layer2_result": "FAIL", "layer2_retries": 2})
        assert "from 0 to 2" in refusal(failed, after(failed, "generating", verify={"layer2_retries": 3}))

    def test_need_a_failure_of_layer_2(self) -> None:
        failed_in_layer_3 = state_at("evaluate_done")
        retry = after(failed_in_layer_3, "generating", verify={"layer2_retries": 1})
        assert refusal(failed_in_layer_3, retry) == "only a FAIL is retried"


class TestRounds:
    FRESH = Verify()

    def test_the_next_one_resets_what_the_seed_resets(self) -> None:
        failed = state_at("evaluate_done", verify={"layer1_retries": 2, "layer2_retries": 1})
        check_step(failed, msgspec.structs.replace(failed, phase="generate_ready", round=2, verify=self.FRESH))
        assert "layer" in refusal(failed, msgspec.structs.replace(failed, phase="generate_ready", round=2))

    def test_end_at_max_rounds(self) -> None:
        last = state_at("evaluate_done", round=3)
        following = msgspec.structs.replace(last, phase="generate_ready", round=4, verify=self.FRESH)
        assert "max_rounds" in refusal(last, following)

    def test_are_extended_by_one_at_their_gate_and_nowhere_else(self) -> None:
        last = state_at("evaluate_done", round=3)
        more = msgspec.structs.replace(last, phase="generate_ready", round=4, max_rounds=4, verify=self.FRESH)
        check_step(last, more)
        assert "max_rounds" in refusal(last, msgspec.structs.replace(more, max_rounds=9))
        assert "max_rounds" in refusal(state_at("verifying"), state_at("verifying", max_rounds=4))

    def test_do_not_grow_on_the_way(self) -> None:
        assert "round" in refusal(state_at("generate_ready"), state_at("generating", round=2))


class TestChecks:
    def test_nothing_leaves_verify_without_a_result(self) -> None:
        assert "layer1_result" in refusal(
            state_at("verifying"), state_at("verify_done", verify={"layer1_result": None})
        )
        running = state_at("verify_done")
        assert "layer1_result" in refusal(running, after(running, "evaluate_ready", verify={"layer1_result": None}))

    def test_a_result_comes_from_a_run_alone(self) -> None:
        failed = state_at("verify_done", verify={"layer1_result": "FAIL"})
        assert refusal(failed, after(failed, "evaluate_ready", verify={"layer1_result": "PASS"}))
        assert "layer1_result" in refusal(
            state_at("verify_ready"), state_at("verifying", verify={"layer1_result": "PASS"})
        )

    def test_the_evaluators_word_comes_from_the_evaluator_alone(self) -> None:
        failed = state_at("evaluate_done", verify={"layer2_result": "FAIL"})
        assert refusal(failed, after(failed, "evaluate_done", verify={"layer2_result": "PASS"}))
        assert "layer2_result" in refusal(
            state_at("evaluating"), state_at("evaluate_done", verify={"layer2_result": None})
        )


class TestAutofix:
    """The seed's transition table and I1 to I4, as the decisions amend them."""

    def test_begins_with_a_proposal_when_the_last_retry_has_failed(self) -> None:
        at_gate = state_at("verify_done", verify=AT_LIMIT)
        check_step(at_gate, after(at_gate, "verify_done", autofix=fix("proposed")))
        early = state_at("verify_done", verify={"layer1_result": "FAIL", "layer1_retries": 2})
        assert "last retry" in refusal(early, after(early, "verify_done", autofix=fix("proposed")))
        assert "no such step" in refusal(
            at_gate, after(at_gate, "verify_done", autofix=fix("applied"), verify={"autofix_attempted": True})
        )

    @pytest.mark.parametrize("decided", ["applied", "rejected", "apply_failed", "halted"])
    def test_i1_the_second_gate_and_not_the_proposal_uses_the_attempt_up(self, decided: Any) -> None:
        proposed = state_at("verify_done", verify=AT_LIMIT, autofix=fix("proposed"))
        check_step(proposed, after(proposed, "verify_done", autofix=fix(decided), verify={"autofix_attempted": True}))
        assert "autofix_attempted" in refusal(proposed, after(proposed, "verify_done", autofix=fix(decided)))
        assert "autofix_attempted" in refusal(
            proposed, after(proposed, "verify_done", verify={"autofix_attempted": True})
        )

    def test_i2_is_offered_once_whatever_became_of_it(self) -> None:
        assert may_offer_autofix(state_at("verify_done", verify=AT_LIMIT))
        for applied in ("proposed", *FIXES["proposed"], *FIXES["applied"]):
            attempted = applied != "proposed"
            state = state_at("verify_done", verify=AT_LIMIT | {"autofix_attempted": attempted}, autofix=fix(applied))
            assert not may_offer_autofix(state)

    @pytest.mark.parametrize(("verdict", "applied"), [("PASS", "passed"), ("FAIL", "stopped")])
    def test_a_run_of_the_checks_says_what_became_of_the_patch(self, verdict: Any, applied: Any) -> None:
        verify = {"layer1_retries": 3, "autofix_attempted": True}
        running = state_at("verifying", verify=verify, autofix=fix("applied"))
        check_step(running, after(running, "verify_done", autofix=fix(applied), verify={"layer1_result": verdict}))
        other = "FAIL" if verdict == "PASS" else "PASS"
        lie = after(running, "verify_done", autofix=fix(applied), verify={"layer1_result": other})
        assert refusal(running, lie) == "a run of the checks says whether the fix has passed"

    def test_the_evaluator_waits_until_it_is_decided(self) -> None:
        proposed = state_at("verify_done", verify=AT_LIMIT, autofix=fix("proposed"))
        assert refusal(proposed, after(proposed, "evaluate_ready")) == "an automatic fix is undecided"

    def test_is_never_cleared(self) -> None:
        verify = AT_LIMIT | {"autofix_attempted": True}
        rejected = state_at("verify_done", verify=verify, autofix=fix("rejected"))
        cleared = after(rejected, "verify_done", autofix=None, verify={"autofix_attempted": False})
        assert "never cleared" in refusal(rejected, cleared)

    def test_i4_the_counter_stays_at_its_limit_after_a_patch_that_failed(self) -> None:
        verify = AT_LIMIT | {"autofix_attempted": True}
        stopped = state_at("verify_done", verify=verify, autofix=fix("stopped"))
        assert refusal(stopped, after(stopped, "generating", verify={"layer1_retries": 4}))

    def test_stays_in_its_round(self) -> None:
        verify = AT_LIMIT | {"autofix_attempted": True}
        rejected = state_at("verify_done", verify=verify, autofix=fix("rejected"), round=2)
        assert "its round" in refusal(rejected, after(rejected, "verify_done", autofix=fix("rejected", round=2)))


class TestEnding:
    def test_completed_needs_an_outcome(self) -> None:
        done = state_at("evaluate_done")
        assert "outcome" in refusal(done, after(done, "completed"))
        check_step(done, after(done, "completed", outcome="passed"))

    def test_passed_needs_a_pass(self) -> None:
        failed = state_at("evaluate_done", verify={"layer2_result": "FAIL"})
        assert "outcome" in refusal(failed, after(failed, "completed", outcome="passed"))
        check_step(failed, after(failed, "completed", outcome="accepted"))

    def test_max_rounds_is_for_the_last_round(self) -> None:
        assert "outcome" in refusal(state_at("evaluate_done"), state_at("completed", outcome="max_rounds"))
        check_step(state_at("evaluate_done", round=3), state_at("completed", round=3, outcome="max_rounds"))

    def test_is_not_rewritten(self) -> None:
        assert "outcome" in refusal(state_at("completed"), state_at("completed", outcome="accepted"))

    def test_only_what_is_completed_is_finalized(self) -> None:
        check_step(state_at("completed"), state_at("completed", finalized=True))
        assert "finalized" in refusal(state_at("verifying"), state_at("verifying", finalized=True))


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("manifest", {"manifest": ("docs/harness/add-a-login/../../../etc/passwd",)}),
        ("manifest", {"manifest": ("src/main.py",)}),
        ("manifest", {"manifest": ("docs/harness/add-a-login/main.py",)}),
        ("branch", {"branch": "main"}),
        ("dispatches", {"dispatches": (Dispatch("planner", "/etc/passwd"),)}),
        ("autofix.last_patch_path", {"autofix": msgspec.structs.replace(fix("proposed"), last_patch_path="x.md")}),
        ("task", {"task": "  "}),
        ("mode", {"mode": None}),
        ("docs_path", {"docs_path": "docs/harness/x"}),
        ("max_files", {"max_files": 0}),
        ("version", {"version": "2.1"}),
        ("skill", {"skill": "spec"}),
    ],
)
def test_a_field_that_cannot_be_is_named(field: str, changes: dict[str, Any]) -> None:
    found = unsoundness(state_at("plan_done", **changes))
    assert found is not None
    assert found.field == field


def test_the_task_and_its_folder_stay_what_they_are() -> None:
    assert refusal(state_at("planning"), state_at("planning", task="something else"))
    assert refusal(state_at("planning"), state_at("planning", docs_path="docs/harness/other/"))


def test_every_phase_has_a_row() -> None:
    assert set(NEXT) == set(PHASES)


def test_the_diagram_in_the_manual_is_the_table() -> None:
    assert f"```mermaid\n{diagram()}```" in (DOCS / "workflow-states.md").read_text()
