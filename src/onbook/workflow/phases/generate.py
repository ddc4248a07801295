"""Step 4, making the changes in three modes. A retry sends one agent out, with the plan and the reviews there are."""

from onbook.workflow.checks.report import summary_in
from onbook.workflow.files.artefacts import CHANGES, QA_REPORT, SPEC, VERIFY_REPORT
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.phases.findings import said_by_evaluator, without_results
from onbook.workflow.phases.spec_gate import is_back_at_gate
from onbook.workflow.phases.steps import phase_step
from onbook.workflow.work import Errand, Work

FIRST_ROUND = "(First round)"
_FOLDER = ".harness/generator/"
_PLAN = f"{_FOLDER}plan.md"
REVIEWS = {
    "combined_advisor": f"{_FOLDER}review_combined.md",
    "code_quality_advisor": f"{_FOLDER}review_code_quality.md",
    "test_stability_advisor": f"{_FOLDER}review_test_stability.md",
}


async def generate(work: Work) -> None:
    """From `generate_ready` or `generating` to `generate_done`, or back to the gate of a spec that has changed."""
    if is_back_at_gate(work):
        return
    if work.state.phase == "generate_ready":
        work.advance(phase="generating", verify=without_results(work.state.verify), dispatches=())
    elif work.state.phase == "generate_done":
        work.advance(phase="generating", dispatches=())
    failure = _failure(work)
    if not failure:
        work.say(work.words("line.generate"))
        work.say(work.words("line.sends_generator"))
    with phase_step(work, "generate"):
        await _generate(work, failure)
    work.advance(phase="generate_done")
    work.say(work.words("line.generate_complete"))


async def _generate(work: Work, failure: dict[str, str]) -> None:
    given = _given(work) | failure
    changes = work.state.docs_path + CHANGES
    if work.state.mode == "single":
        (sent,) = await work.agents.send(work, Errand("generator", changes, given | {"changes_path": changes}))
        work.say(work.words("line.said", line=sent.said))
        return
    if not failure:
        await _prepare(work, given)
    given |= _advice(work) | {"changes_path": changes}
    (sent,) = await work.agents.send(work, Errand("implementer", changes, given))
    work.say(work.words("line.code", line=sent.said))


async def _prepare(work: Work, given: dict[str, str]) -> None:
    """A plan, and advice on it before anything is written."""
    (sent,) = await work.agents.send(work, Errand("lead_developer", _PLAN, given | {"output_path": _PLAN}))
    work.say(work.words("line.implementation_plan", line=sent.said))
    asked = given | {"plan_content": artefact_text(work, _PLAN), "test_cmd": work.state.test_cmd or "none"}
    advisors = {name: path for name, path in REVIEWS.items() if (name == "combined_advisor") == _is_standard(work)}
    reviews = await work.agents.send(
        work, *(Errand(name, path, asked | {"output_path": path}) for name, path in advisors.items())
    )
    if _is_standard(work):
        work.say(work.words("line.review", line=reviews[0].said))
    else:
        work.say(work.words("line.reviews", count=len(reviews)))


def _given(work: Work) -> dict[str, str]:
    state = work.state
    feedback = artefact_text(work, state.docs_path + QA_REPORT) if state.round > 1 else FIRST_ROUND
    return {
        "spec_content": artefact_text(work, state.docs_path + SPEC),
        "qa_feedback": feedback,
        "round_num": str(state.round),
        "repo_path": state.repo_path or str(work.root),
        "lang": state.lang,
        "scope": state.scope,
        "max_files": str(state.max_files),
        "user_lang": state.user_lang,
    }


def _advice(work: Work) -> dict[str, str]:
    """The plan and what was said about it, of this round."""
    plan = {"plan_content": artefact_text(work, _PLAN)}
    if _is_standard(work):
        return plan | {"advisor_review": artefact_text(work, REVIEWS["combined_advisor"])}
    return plan | {
        "code_quality_review": artefact_text(work, REVIEWS["code_quality_advisor"]),
        "test_stability_review": artefact_text(work, REVIEWS["test_stability_advisor"]),
    }


def _failure(work: Work) -> dict[str, str]:
    """Of a retry: what failed, and where that is told. Nothing where the round has only begun: no check has run."""
    state = work.state
    if state.verify.layer2_result == "FAIL":
        return {"verify_failure": said_by_evaluator(state), "verify_report_path": state.docs_path + QA_REPORT}
    if state.verify.layer1_result == "FAIL":
        report = state.docs_path + VERIFY_REPORT
        return {"verify_failure": summary_in(artefact_text(work, report)), "verify_report_path": report}
    return {}


def _is_standard(work: Work) -> bool:
    return work.state.mode == "standard"
