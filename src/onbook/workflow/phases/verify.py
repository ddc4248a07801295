"""Step 5, verifying: onbook runs the checks, computes PASS or FAIL, and says where that leads."""

import msgspec

from onbook.outcome import OnbookError
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.agents.returns import judged
from onbook.workflow.checks.diagnosis import first_error
from onbook.workflow.checks.layer1 import CHECKS, Layer1, command_of, run_layer1
from onbook.workflow.checks.report import report_of, summary_in, summary_of
from onbook.workflow.files.artefacts import CHANGES, VERIFY_REPORT
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.files.writing import write_own
from onbook.workflow.gates import Stopped, gate_question
from onbook.workflow.phases.autofix import decide, propose
from onbook.workflow.phases.findings import outcome_of, without_results
from onbook.workflow.phases.steps import phase_step
from onbook.workflow.setup.models import model_for
from onbook.workflow.state.rules import may_offer_autofix
from onbook.workflow.state.soundness import fix_of_this_round
from onbook.workflow.state.state import LAYER1_RETRIES, Autofix, ModelConfig, State, Verdict
from onbook.workflow.work import Errand, Work

SKIP = "SKIP"
"""What stands for a command that there is not."""


async def verify(work: Work) -> None:
    """From `generate_done`, `verify_ready` or `verifying` to `verify_done`. No counter changes here."""
    if work.state.phase not in ("verify_ready", "verifying"):
        work.advance(phase="verify_ready", verify=without_results(work.state.verify), dispatches=())
    work.say(work.words("line.verify"))
    work.advance(phase="verifying", manifest=_manifest(work))
    with phase_step(work, "verify") as step:
        layer1 = await run_layer1(work, step.address)
        summary = await _written(work, layer1)
        step.outcome = outcome_of(passed=layer1.result == "PASS")
    result = msgspec.structs.replace(work.state.verify, layer1_result=layer1.result)
    work.advance(phase="verify_done", verify=result, autofix=_judged_fix(work.state, layer1.result))
    if layer1.result == "PASS" or work.state.run_style == "step":
        lines = (work.words("line.verify_complete"), f"{work.words('line.verify_result')} : {layer1.result}", summary)
        work.say("\n".join(lines))


async def after_verify(work: Work) -> None:
    """From `verify_done` to wherever it leads: on to evaluate, back to generate, or to a gate."""
    while work.state.phase == "verify_done":
        fix = fix_of_this_round(work.state)
        if fix == "proposed":
            await decide(work)
        elif fix == "applied":
            work.advance(phase="verify_ready", verify=msgspec.structs.replace(work.state.verify, layer1_result=None))
        elif work.state.verify.layer1_result == "PASS":
            work.advance(phase="evaluate_ready", dispatches=())
        elif work.state.verify.layer1_retries < LAYER1_RETRIES:
            _send_back(work)
        else:
            await _ask(work)


def _send_back(work: Work) -> None:
    """The generator gets another try, with what failed."""
    verify = work.state.verify
    counted = msgspec.structs.replace(verify, layer1_retries=verify.layer1_retries + 1)
    work.advance(phase="generating", verify=counted, dispatches=())
    retrying = work.words("line.verify_retry", retry=counted.layer1_retries, most=LAYER1_RETRIES)
    work.say(f"{retrying}\n{_summary(work)}")


async def _ask(work: Work) -> None:
    """The last retry has failed: a person decides."""
    state = work.state
    report = state.docs_path + VERIFY_REPORT
    lines = (
        work.words("line.verify_exhausted", retries=state.verify.layer1_retries, most=LAYER1_RETRIES),
        work.words("line.latest_error", line=_summary(work)),
        work.words("line.see", path=report),
    )
    work.say("\n".join(lines))
    choices = ("autofix", "continue", "stop") if may_offer_autofix(state) else ("continue", "stop")
    question = gate_question(
        work.words,
        "verify",
        only=choices,
        retries=state.verify.layer1_retries,
        summary=_summary(work),
        model=model_for(state.model_config or ModelConfig(), "proposer"),
    )
    match (await work.gates.ask(question)).choice:
        case "autofix":
            await propose(work)
        case "continue":
            work.advance(phase="evaluate_ready", dispatches=())
        case _:
            raise Stopped(question)


async def _written(work: Work, layer1: Layer1) -> str:
    """Write the report, and give its one line. The report stands before anybody is asked for a diagnosis of it."""
    diagnosis = first_error(layer1) if layer1.result == "FAIL" else ""
    summary = _write(work, layer1, diagnosis)
    if layer1.result == "FAIL" and (better := await _diagnosis(work, diagnosis)):
        summary = _write(work, layer1, better)
    return summary


def _write(work: Work, layer1: Layer1, diagnosis: str) -> str:
    summary = summary_of(layer1, diagnosis)
    report = report_of(layer1, summary, work.root).encode("utf-8", "replace")
    write_own(work.root, work.state.docs_path + VERIFY_REPORT, report)
    return summary


async def _diagnosis(work: Work, failure: str) -> str:
    """What the verifier makes of the report, in one line; nothing where there is no verifier to be had."""
    state = work.state
    given: dict[str, str] = {f"{name}_cmd": command_of(state, name) or SKIP for name in CHECKS}
    given |= {
        "changes_md_path": state.docs_path + CHANGES,
        "verify_report_path": state.docs_path + VERIFY_REPORT,
        "todo_blocking": str(state.verify.todo_blocking).lower(),
        "verify_failure": failure,
        "user_lang": state.user_lang,
    }
    try:
        (sent,) = await work.agents.send(work, Errand("verifier", "", given))
    except OnbookError as error:
        work.say(str(error), "debug")
        return ""
    is_of_use = judged(sent.said) != "PASS" and sent.said != PERSONAS["verifier"].fallback
    return sent.said.removeprefix("FAIL").strip(" —–-") if is_of_use else ""


def _manifest(work: Work) -> tuple[str, ...]:
    """With the report, unless one of somebody else's lies there already."""
    report = work.state.docs_path + VERIFY_REPORT
    is_known = report in work.state.manifest or (work.root / report).exists()
    return work.state.manifest if is_known else (*work.state.manifest, report)


def _judged_fix(state: State, result: Verdict) -> Autofix | None:
    """An applied patch has passed or was not enough; any other stays what it is."""
    if state.autofix is None or fix_of_this_round(state) != "applied":
        return state.autofix
    return msgspec.structs.replace(state.autofix, applied="passed" if result == "PASS" else "stopped")


def _summary(work: Work) -> str:
    return summary_in(artefact_text(work, work.state.docs_path + VERIFY_REPORT))
