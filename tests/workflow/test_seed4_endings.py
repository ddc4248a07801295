"""Seed 4, a task from its first word to its last in the modes and endings that no other test goes through whole."""

import shutil

import pytest

from onbook.outcome import Outcome
from tests.workflow.cast import Part
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import DIFF, RIGHT, TASK, WRONG, Whole
from tests.workflow.whole import whole as whole

FENCED = f"```diff\n{DIFF}```\n"
NOT_ENOUGH = FENCED.replace("+    return a + b", "+    return a * b")
PLANNERS = {
    "standard": ["architect", "senior_developer", "synthesis_standard"],
    "multi": ["architect", "senior_developer", "qa_specialist", *["cross_critique"] * 3, "synthesis"],
}
ADVISED = {
    "standard": ["lead_developer", "combined_advisor"],
    "multi": ["lead_developer", "code_quality_advisor", "test_stability_advisor"],
}
MAKER = {"standard": "implementation_standard", "multi": "implementation"}
STOPPED = "[harness] Stopped. Nothing is lost: go on with onbook workflow resume"


@pytest.mark.parametrize("mode", ["standard", "multi"])
async def test_retries_send_one_agent_out_and_a_round_all_who_generate(whole: Whole, mode: str) -> None:
    """Fail and fix at Layer 1, a Layer 2 retry, a Layer 3 round: planners once, advisors once in a round."""
    whole.plays(WRONG, RIGHT)
    whole.judges("FAIL L2", "FAIL L3", "PASS")
    assert await whole(TASK, mode=mode, qa="fix") is Outcome.PASSED
    maker = MAKER[mode]
    first = [*ADVISED[mode], maker, "verify_layer1", maker, "evaluator_prompt", maker, "evaluator_prompt"]
    second = [*ADVISED[mode], maker, "evaluator_prompt"]
    assert sorted(whole.cast.order) == sorted([*PLANNERS[mode], *first, *second])
    assert whole.cast.order[-2:] == [maker, "evaluator_prompt"]
    phases = ("Plan", "Generate", "Verify (Layer 1 — Mechanical)", "Evaluate (Layer 2+3)")
    assert [whole.said.count(f"[harness] Phase: {phase}") for phase in phases] == [1, 2, 4, 3]
    assert whole.commits == [TASK, "Begin"]


async def test_exhausted_fixed_and_in_the_last_round_it_ends_with_3(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(FENCED)
    whole.judges("FAIL L3")
    whole.options += ["--max-rounds", "1"]
    ended = await whole(TASK, mode="multi", verify="autofix", autofix="apply", rounds="accept")
    assert ended is Outcome.BELOW_THRESHOLD
    assert len(whole.cast.prompts("implementation")) == 4
    assert (whole.root / "calc.py").read_text() == RIGHT
    assert whole.committed == ["calc.py", "test_calc.py"]


async def test_a_patch_after_which_the_checks_still_fail_is_stopped_and_there_is_no_other(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(NOT_ENOUGH)
    assert await whole(TASK, mode="standard", verify="autofix", autofix="apply") is Outcome.WAITING
    state = whole.state
    assert state.autofix is not None
    assert (state.autofix.applied, state.verify.autofix_attempted) == ("stopped", True)
    assert (state.verify.layer1_result, state.verify.layer1_retries) == ("FAIL", 3)
    assert "--answer verify=continue|stop" in whole.finished.error


async def test_stop_at_the_automatic_fix_is_halted_and_a_resume_asks_the_first_gate_without_it(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(FENCED)
    assert await whole(TASK, verify="autofix", autofix="stop") is Outcome.WAITING
    assert whole.said[-1] == STOPPED
    assert whole.state.autofix is not None
    assert whole.state.autofix.applied == "halted"
    assert await whole("resume") is Outcome.WAITING
    assert "--answer verify=continue|stop" in whole.finished.error
    assert await whole("resume", verify="continue") is Outcome.PASSED
    assert (whole.root / "calc.py").read_text() == WRONG


async def test_stopped_at_a_dirty_tree_a_missing_artefact_and_the_spec_it_goes_on(whole: Whole) -> None:
    (whole.root / "README.md").write_text("Mine.\n")
    assert await whole(TASK, dirty="stop") is Outcome.WAITING
    assert (whole.said[-1], whole.state.phase) == (STOPPED, "setup")
    whole.cast.plays("planner_single", Part("spec generated — or so I say"))
    assert await whole("resume", dirty="continue", artefact="stop") is Outcome.WAITING
    assert (whole.said[-1], whole.state.phase) == (STOPPED, "planning")
    whole.plays()
    assert await whole("resume", spec="stop") is Outcome.WAITING
    assert (whole.said[-1], whole.state.phase) == (STOPPED, "plan_done")
    assert await whole("resume") is Outcome.PASSED
    assert whole.commits == [TASK, "Begin"]
    assert git(whole.root, "status", "--porcelain", "--", "README.md") == " M README.md\n"


async def test_what_is_accepted_as_it_is_ends_with_0(whole: Whole) -> None:
    whole.judges("FAIL L3")
    assert await whole(TASK, qa="accept") is Outcome.PASSED
    assert "[harness] ✓ QA PASS — task complete." not in whole.said
    assert whole.commits == [TASK, "Begin"]


async def test_a_folder_without_git_has_its_retries_its_fix_and_its_rounds_too(whole: Whole) -> None:
    shutil.rmtree(whole.root / ".git")
    whole.plays(*[WRONG] * 4, RIGHT)
    whole.proposes(FENCED)
    whole.judges("FAIL L3", "PASS")
    assert await whole(TASK, verify="autofix", autofix="apply", qa="fix", commit="") is Outcome.PASSED
    assert "[harness] Applying patch to: calc.py" in whole.said
    assert len(whole.cast.prompts("evaluator_prompt")) == 2
    assert "- calc.py" in whole.cast.prompts("evaluator_prompt")[0]
