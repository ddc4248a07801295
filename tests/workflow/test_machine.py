"""Seed 4 in a session: phase by phase, and what may be asked of a workflow that was begun. How one ends: `endings/`."""

from pathlib import Path

from onbook.config.budget_settings import BudgetSettings
from onbook.events import RunFinished
from onbook.outcome import Outcome
from onbook.workflow.state.store import Store
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import DIFF, DOCS, RIGHT, SPEC, TASK, WRONG, Whole
from tests.workflow.whole import whole as whole

FENCED = f"```diff\n{DIFF}```\n"


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
            f"[harness] {DOCS}{path} is written. The session can end here; next: /workflow {following}"
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

    assert await refused("generate") == 'Run plan first: /workflow plan "task"'
    assert await refused("evaluate") == "Run verify first: /workflow verify"
    await whole("plan", TASK)
    assert await refused("verify") == "Run generate first: /workflow generate"
    await whole("generate")
    assert await refused("evaluate") == "Run verify first: /workflow verify"


async def test_after_a_pass_there_is_nothing_to_generate(whole: Whole) -> None:
    for words in (("plan", TASK), ("generate",), ("verify",), ("generate",)):
        assert await whole(*words) is Outcome.PASSED
    assert whole.said[-1] == "Verify complete. Run evaluate? /workflow evaluate"
    assert whole.state.phase == "verify_done"
    for words in (("evaluate",), ("generate",)):
        assert await whole(*words) is Outcome.PASSED
    assert whole.said[-1] == "Evaluate — complete. Run resume? /workflow resume"
    assert len(whole.cast.prompts("generator_single")) == 1


async def test_a_fix_that_nobody_decided_on_is_in_the_way_and_asked_about_again(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(FENCED)
    assert await whole(TASK, verify="autofix") is Outcome.WAITING
    assert await whole("evaluate") is Outcome.USAGE
    assert whole.finished.error == "an automatic fix is not decided yet; go on with: /workflow resume"
    assert await whole("resume", autofix="apply") is Outcome.PASSED
    assert len(whole.cast.prompts("auto_fix_proposer")) == 1


async def test_a_fix_that_was_halted_is_not_offered_again_by_a_resume(whole: Whole) -> None:
    whole.plays(WRONG)
    whole.proposes(FENCED)
    assert await whole(TASK, verify="autofix", autofix="stop") is Outcome.WAITING
    assert await whole("resume", verify="autofix") is Outcome.WAITING
    assert whole.finished.error.endswith("--answer verify=continue|stop")
    assert len(whole.cast.prompts("auto_fix_proposer")) == 1


async def test_no_words_at_all_suggest_the_next_step(whole: Whole) -> None:
    assert await whole.typed("/workflow") is Outcome.USAGE
    assert "no workflow was begun here" in whole.typed.error
    await whole("plan", TASK)
    assert await whole.typed("/workflow") is Outcome.PASSED
    assert whole.typed.text == "Plan complete. Run generate? /workflow generate\n"


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
