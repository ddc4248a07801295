"""Step 6, evaluating: somebody who knows the spec and the changed files, and nothing of how they came about."""

import msgspec

from onbook.workflow.agents.returns import judged
from onbook.workflow.checks.report import has_run
from onbook.workflow.files.artefacts import QA_REPORT, SPEC, VERIFY_REPORT
from onbook.workflow.files.changed import changed_files
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.phases.findings import is_passed, outcome_of
from onbook.workflow.phases.spec_gate import is_back_at_gate
from onbook.workflow.phases.steps import phase_step
from onbook.workflow.state.state import State
from onbook.workflow.work import Errand, Work


async def evaluate(work: Work) -> None:
    """From `verify_done`, `evaluate_ready` or `evaluating` to `evaluate_done`; a changed spec goes back to its gate."""
    if is_back_at_gate(work):
        return
    if work.state.phase not in ("evaluate_ready", "evaluating"):
        begun = msgspec.structs.replace(work.state.verify, layer2_result=None)
        work.advance(phase="evaluate_ready", verify=begun, dispatches=())
    work.say(work.words("line.evaluate"))
    work.say(work.words("line.sends_evaluator"))
    if work.state.phase == "evaluate_ready":
        work.advance(phase="evaluating", dispatches=())
    report = work.state.docs_path + QA_REPORT
    with phase_step(work, "evaluate") as step:
        (sent,) = await work.agents.send(work, Errand("evaluator", report, await _given(work)))
        step.outcome = outcome_of(passed=is_passed(work))
    layer2 = "FAIL" if judged(sent.said) == "FAIL L2" else "PASS"
    work.advance(phase="evaluate_done", verify=msgspec.structs.replace(work.state.verify, layer2_result=layer2))
    work.say(work.words("line.said" if is_passed(work) else "line.said_fail", line=sent.said))
    work.say(work.words("line.evaluate_complete"))


async def _given(work: Work) -> dict[str, str]:
    """Paths without reasons: who reads why something was done, judges the reason in its place."""
    state = work.state
    return {
        "spec_content": artefact_text(work, state.docs_path + SPEC),
        "changed_files_list": "\n".join(f"- {path}" for path in await changed_files(work)),
        "test_available": "yes" if state.test_cmd else "no",
        "build_cmd": state.build_cmd or "none",
        "test_cmd": state.test_cmd or "none",
        "round_num": str(state.round),
        "scope": state.scope,
        "user_lang": state.user_lang,
        "qa_report_path": state.docs_path + QA_REPORT,
        "verify_context": _verify_context(state, artefact_text(work, state.docs_path + VERIFY_REPORT)),
    }


def _verify_context(state: State, report: str) -> str:
    """The seed's three texts."""
    path = state.docs_path + VERIFY_REPORT
    if not has_run(report):
        return "Layer 1 was not executed for this session."
    if state.verify.layer1_result == "PASS":
        return f"Layer 1 PASSED — build/test/lint/type-check verified. See {path}"
    return (
        f"Layer 1 FAILED (user proceeded despite failures) — see {path}. Pay extra attention to build/test correctness."
    )
