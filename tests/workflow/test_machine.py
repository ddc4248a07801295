"""Seed 4 as a whole: from a task to a commit in every mode, whatever fails on the way, stopped and resumed anywhere."""

import shutil
from pathlib import Path

import pytest

from onbook.config.budget_settings import BudgetSettings
from onbook.events import RunFinished
from onbook.outcome import Outcome
from onbook.workflow.state.store import Store
from tests.workflow.cast import Part
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import ANSWERS, DIFF, DOCS, PYTEST, RIGHT, RUFF, SPEC, TASK, WRONG, Whole
from tests.workflow.whole import whole as whole

FENCED = f"```diff\n{DIFF}```\n"
HIDDEN = "--answer verify=continue|stop"
"""What is left to choose when the one attempt is used up (I2)."""
CAST = {
    "single": ["planner_single", "generator_single", "evaluator_prompt"],
    "standard": [
        "architect",
        "senior_developer",
        "synthesis_standard",
        "lead_developer",
        "combined_advisor",
        "implementation_standard",
        "evaluator_prompt",
    ],
    "multi": [
        "architect",
        "senior_developer",
        "qa_specialist",
        *["cross_critique"] * 3,
        "synthesis",
        "lead_developer",
        "code_quality_advisor",
        "test_stability_advisor",
        "implementation",
        "evaluator_prompt",
    ],
}


@pytest.mark.parametrize("mode", ["standard", "multi"])
async def test_a_task_passes_at_once_with_more_heads_too(whole: Whole, mode: str) -> None:
    whole.options = ["--test-cmd", PYTEST, "--lint-cmd", RUFF]
    assert await whole(TASK, mode=mode) is Outcome.PASSED
    assert sorted(whole.cast.order) == sorted(CAST[mode])
    assert whole.commits == [TASK, "Begin"]
    assert whole.committed == ["calc.py", "test_calc.py"]
    assert not (whole.root / ".harness").exists()
    assert whole.finished.text == f"{DOCS}qa_report.md\n"


async def test_a_failing_check_sends_the_generator_back(whole: Whole) -> None:
    whole.plays(WRONG, RIGHT)
    whole.options = ["--test-cmd", PYTEST]
    assert await whole(TASK) is Outcome.PASSED
    assert "[harness] Verify (Layer 1) FAIL — retrying Generator (attempt 1/3)\nFAIL — add(1, 2) is not 3" in whole.said
    assert "FAIL — add(1, 2) is not 3" in whole.cast.prompts("generator_single")[1]


async def test_three_retries_are_four_runs_and_then_a_person_decides(whole: Whole) -> None:
    whole.plays(WRONG)
    assert await whole(TASK) is Outcome.WAITING
    assert len(whole.cast.prompts("generator_single")) == 4
    assert whole.state.verify.layer1_retries == 3
    assert "--answer verify=autofix|continue|stop" in whole.finished.error
    assert await whole("resume", verify="continue") is Outcome.PASSED
    assert "Layer 1 FAILED (user proceeded despite failures)" in whole.cast.prompts("evaluator_prompt")[0]


async def test_an_automatic_fix_is_applied_and_verified(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(FENCED)
    assert await whole(TASK, verify="autofix", autofix="apply") is Outcome.PASSED
    assert (whole.root / "calc.py").read_text() == RIGHT
    assert whole.committed == ["calc.py", "test_calc.py"]


@pytest.mark.parametrize(
    ("diff", "answer", "applied", "said"),
    [
        (FENCED, "reject", "rejected", ""),
        (FENCED.replace("return a - b", "return a * b"), "apply", "apply_failed", "reverted to pre-apply"),
        (FENCED.replace("b/calc.py", "b/../calc.py"), "apply", "apply_failed", "Diff path validation failed"),
        ("Nothing to be done.\n", "apply", "apply_failed", "empty or has no diff block"),
    ],
    ids=["rejected", "failed hunk", "malicious path", "empty patch"],
)
async def test_a_fix_that_is_not_to_be_uses_the_attempt_up(
    whole: Whole, diff: str, answer: str, applied: str, said: str
) -> None:
    whole.plays(WRONG)
    whole.proposes(diff)
    assert await whole(TASK, verify="autofix", autofix=answer) is Outcome.WAITING
    assert whole.state.autofix is not None
    assert (whole.state.autofix.applied, whole.state.verify.autofix_attempted) == (applied, True)
    assert said in "\n".join(whole.said)
    assert HIDDEN in whole.finished.error


async def test_layer_2_sends_the_generator_back_twice_and_is_then_a_question(whole: Whole) -> None:
    whole.judges("FAIL L2", "FAIL L2", "FAIL L2", "PASS")
    assert await whole(TASK, qa="fix") is Outcome.PASSED
    assert "FAIL L2 — as the spec has it" in whole.cast.prompts("generator_single")[1]
    assert "[harness] Evaluate FAIL (Layer 2) — max retries reached (2/2)" in "\n".join(whole.said)
    assert len(whole.cast.prompts("evaluator_prompt")) == 4


async def test_layer_3_is_fixed_in_another_round(whole: Whole) -> None:
    whole.judges("FAIL L3", "PASS")
    assert await whole(TASK, qa="fix") is Outcome.PASSED
    assert "name the arguments (FAIL L3)" in whole.cast.prompts("generator_single")[1]


async def test_the_last_round_that_fails_is_exit_code_3_and_can_be_followed_by_another(whole: Whole) -> None:
    whole.judges("FAIL L3")
    whole.options += ["--max-rounds", "1"]
    assert await whole(TASK, rounds=("extend", "accept")) is Outcome.BELOW_THRESHOLD
    assert whole.said.count("[harness] Max rounds reached. Remaining issues in qa_report.md.") == 2
    assert whole.commits == [TASK, "Begin"]


async def test_left_open_at_every_gate_it_goes_on_there_and_does_nothing_twice(whole: Whole) -> None:
    (whole.root / "README.md").write_text("Mine.\n")
    answers = dict.fromkeys(ANSWERS, "")
    for gate in ("dirty", "mode", "model", "conventions", "spec", "commit"):
        assert await whole(*("resume",) if gate != "dirty" else (TASK,), **answers) is Outcome.WAITING
        assert whole.finished.error.startswith(f"waiting at the gate {gate}: ")
        answers[gate] = ANSWERS.get(gate, "continue")
    assert await whole("resume", **answers) is Outcome.PASSED
    assert whole.cast.order == CAST["single"]
    assert whole.commits == [TASK, "Begin"]
    assert whole.committed == ["calc.py", "test_calc.py"]


async def test_stopped_at_every_gate_it_loses_nothing(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.judges("FAIL L3")
    whole.options += ["--max-rounds", "2"]
    answers: dict[str, str] = {}
    for gate, choice in (("verify", "continue"), ("qa", "fix"), ("rounds", "accept")):
        stopped = await whole(*("resume",) if answers else (TASK,), **(answers | {gate: "stop"}))
        assert stopped is Outcome.WAITING
        assert whole.said[-1] == "[harness] Stopped. Nothing is lost: go on with onbook workflow resume"
        answers[gate] = choice
    assert await whole("resume", **answers) is Outcome.BELOW_THRESHOLD
    assert whole.commits == [TASK, "Begin"]
    assert len(whole.cast.prompts("generator_single")) == 8
    assert len(whole.cast.prompts("evaluator_prompt")) == 2


async def test_a_missing_artefact_is_a_question_after_three_tries(whole: Whole) -> None:
    whole.cast.plays("planner_single", Part("spec generated — or so I say"))
    assert await whole(TASK) is Outcome.WAITING
    assert len(whole.cast.prompts("planner_single")) == 3
    whole.plays()
    assert await whole("resume") is Outcome.PASSED


async def test_a_folder_without_git_goes_all_the_way(whole: Whole) -> None:
    shutil.rmtree(whole.root / ".git")
    (whole.root / ".gitignore").unlink()
    assert await whole(TASK, commit="") is Outcome.PASSED
    assert (whole.root / "calc.py").read_text() == RIGHT
    assert sorted(path.name for path in (whole.root / DOCS).iterdir()) == [
        ".workflow",
        "changes.md",
        "qa_report.md",
        "spec.md",
        "verify_report.md",
    ]
    assert not (whole.root / ".harness").exists()


async def test_phase_by_phase_each_call_does_one_and_says_what_is_next(whole: Whole) -> None:
    for words, path, following in (
        (("plan", TASK), "spec.md", "generate"),
        (("generate",), "changes.md", "verify"),
        (("verify",), "verify_report.md", "evaluate"),
        (("evaluate",), "qa_report.md", "resume"),
    ):
        assert await whole(*words) is Outcome.PASSED
        assert whole.finished.text == f"{DOCS}{path}\n"
        assert whole.said[-1] == (
            f"[harness] {DOCS}{path} is written. The session can end here; next: onbook workflow {following}"
        )
    assert await whole("resume") is Outcome.PASSED
    assert whole.commits == [TASK, "Begin"]


async def test_generate_crosses_the_gate_of_the_spec(whole: Whole) -> None:
    await whole("plan", TASK)
    assert await whole("generate", spec="") is Outcome.WAITING
    assert not whole.cast.prompts("generator_single")


async def test_a_phase_alone_retries_nothing_and_fails_with_3(whole: Whole) -> None:
    whole.plays(WRONG, RIGHT)
    await whole("plan", TASK)
    await whole("generate")
    assert await whole("verify") is Outcome.BELOW_THRESHOLD
    assert whole.state.verify.layer1_retries == 0
    assert "[harness] Verify (Layer 1) complete.\nResult : FAIL\nFAIL — add(1, 2) is not 3" in whole.said
    assert await whole("generate") is Outcome.PASSED
    assert whole.state.verify.layer1_retries == 1
    assert "FAIL — add(1, 2) is not 3" in whole.cast.prompts("generator_single")[1]
    assert await whole("verify") is Outcome.PASSED
    whole.judges("FAIL L3")
    assert await whole("evaluate") is Outcome.BELOW_THRESHOLD
    assert whole.state.round == 1


async def test_a_phase_whose_work_is_missing_says_what_is_first(whole: Whole) -> None:
    async def refused(asked: str) -> str:
        assert await whole(asked) is Outcome.USAGE
        return "".join(event.error for event in whole.typed.events.of(RunFinished))

    assert await refused("generate") == 'Run plan first: onbook workflow plan "task"'
    assert await refused("evaluate") == "Run verify first: onbook workflow verify"
    await whole("plan", TASK)
    assert await refused("verify") == "Run generate first: onbook workflow generate"
    await whole("generate")
    assert await refused("evaluate") == "Run verify first: onbook workflow verify"


async def test_after_a_pass_there_is_nothing_to_generate(whole: Whole) -> None:
    for words in (("plan", TASK), ("generate",), ("verify",), ("generate",)):
        assert await whole(*words) is Outcome.PASSED
    assert whole.said[-1] == "Verify complete. Run evaluate? onbook workflow evaluate"
    assert whole.state.phase == "verify_done"
    for words in (("evaluate",), ("generate",)):
        assert await whole(*words) is Outcome.PASSED
    assert whole.said[-1] == "Evaluate — complete. Run resume? onbook workflow resume"
    assert len(whole.cast.prompts("generator_single")) == 1


async def test_a_fix_that_nobody_decided_on_is_in_the_way_and_asked_about_again(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(FENCED)
    assert await whole(TASK, verify="autofix") is Outcome.WAITING
    assert await whole("evaluate") is Outcome.USAGE
    assert whole.finished.error == "an automatic fix is not decided yet; go on with: onbook workflow resume"
    assert await whole("resume", autofix="apply") is Outcome.PASSED
    assert len(whole.cast.prompts("auto_fix_proposer")) == 1


async def test_no_words_at_all_suggest_the_next_step(whole: Whole) -> None:
    assert await whole.typed("/workflow") is Outcome.USAGE
    assert "no workflow was begun here" in whole.typed.error
    await whole("plan", TASK)
    assert await whole.typed("/workflow") is Outcome.PASSED
    assert whole.typed.text == "Plan complete. Run generate? onbook workflow generate\n"


async def test_status_shows_the_block_of_the_seed(whole: Whole) -> None:
    await whole("plan", TASK)
    assert await whole.typed("/workflow status") is Outcome.PASSED
    assert whole.typed.text == (
        "[harness]\n"
        "Task   : Add a sum\n"
        "Mode   : single\n"
        "Model  : default\n"
        "Style  : phase\n"
        "Phase  : Plan — complete\n"
        "Round  : 1 / 3\n"
        "Branch : harness/add-a-sum\n"
        "Scope  : (no limit)\n"
    )


async def test_a_second_workflow_at_the_same_time_is_refused(whole: Whole) -> None:
    with Store.open(whole.root):
        assert await whole(TASK) is Outcome.FAILED
    assert "another workflow is running here (process " in whole.typed.error


async def test_a_new_task_asks_what_becomes_of_the_old_one(whole: Whole) -> None:
    await whole("plan", TASK)
    assert await whole("Add a product") is Outcome.WAITING
    assert "[harness] Previous session detected." in whole.said[0]
    assert await whole("Add a product", session="resume") is Outcome.PASSED
    assert whole.commits == [TASK, "Begin"]


async def test_discarding_gives_the_workflow_up_and_keeps_what_was_made(whole: Whole) -> None:
    await whole("plan", TASK)
    assert await whole.typed("/workflow discard") is Outcome.PASSED
    assert not (whole.root / ".harness").exists()
    assert (whole.root / DOCS / "spec.md").read_text() == SPEC


async def test_results_of_an_earlier_workflow_are_no_edits_to_be_asked_about(whole: Whole) -> None:
    await whole("plan", TASK)
    await whole.typed("/workflow discard")
    assert await whole("Add a product", mode="") is Outcome.WAITING
    assert whole.finished.error.startswith("waiting at the gate mode: ")


async def test_cleaning_asks_before_it_deletes_results(whole: Whole) -> None:
    await whole(TASK)
    assert await whole("clean") is Outcome.WAITING
    assert (whole.root / DOCS).is_dir()
    assert await whole("clean", clean="yes") is Outcome.PASSED
    assert not (whole.root / DOCS).exists()


async def test_a_spec_that_changed_after_its_approval_is_confirmed_again(whole: Whole) -> None:
    await whole("plan", TASK)
    await whole("generate")
    (whole.root / DOCS / "spec.md").write_text(f"{SPEC}\nAnd a product.\n")
    assert await whole("resume", spec="") is Outcome.WAITING
    assert await whole("resume") is Outcome.PASSED
    assert "And a product." in whole.cast.prompts("generator_single")[1]


async def test_what_setup_has_settled_cannot_be_said_again(whole: Whole) -> None:
    await whole("plan", TASK)
    assert await whole.typed("/workflow resume --max-files 3") is Outcome.USAGE
    assert whole.typed.error.startswith("--max-files: setup is over")


async def test_a_resume_speaks_the_language_it_is_asked_to(whole: Whole) -> None:
    await whole(TASK, spec="")
    await whole("resume", "--user-lang", "de", spec="stop")
    assert whole.state.user_lang == "de"
    assert "go on" not in whole.said[-1]


async def test_a_finished_spec_goes_to_the_gate_and_nobody_plans(whole: Whole, repository: Path) -> None:
    folder = repository / "docs/harness/given"
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text(SPEC)
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Spec")
    whole.docs = "docs/harness/given/"
    whole.plays()
    assert await whole("--from-spec", "docs/harness/given", "Add a sum") is Outcome.PASSED
    assert whole.cast.order == ["generator_single", "evaluator_prompt"]
    assert (folder / "spec.md").read_text() == SPEC


async def test_a_model_that_nothing_answers_to_is_refused_by_a_resume_too(whole: Whole) -> None:
    assert await whole(TASK, mode="") is Outcome.WAITING
    assert await whole("resume", model="executor:nobody") is Outcome.USAGE
    assert whole.state.phase == "setup"


async def test_a_spent_budget_says_how_this_workflow_goes_on(whole: Whole) -> None:
    whole.typed.live.ledger.limits = BudgetSettings(turns=1)
    assert await whole(TASK) is Outcome.BUDGET_SPENT
    assert "to go on: onbook workflow resume with a larger --budget turns=…" in whole.finished.error
