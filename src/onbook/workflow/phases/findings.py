"""What counts as PASS, what failed, and a count that begins anew: read by evaluate, verdict and generate alike."""

import re

import msgspec

from onbook.outcome import Outcome
from onbook.policy.effects import one_line
from onbook.workflow.agents.returns import judged
from onbook.workflow.checks.report import summary_in
from onbook.workflow.files.artefacts import QA_REPORT, VERIFY_REPORT
from onbook.workflow.files.reading import artefact_text
from onbook.workflow.state.state import Dispatch, State, Verify
from onbook.workflow.work import Work

_VERDICT = re.compile(r"^###[ \t]+Verdict:[ \t]*\**(PASS|FAIL)\b", re.MULTILINE)
_FIX = re.compile(r"^#+[ \t]*(?:\d+[.)][ \t]*)?Fix Instructions\b.*$", re.MULTILINE | re.IGNORECASE)
_LONGEST = 600


def is_passed(work: Work) -> bool:
    """PASS needs both the evaluator's line and the report's verdict."""
    return judged(said_by_evaluator(work.state)) == "PASS" and _verdict_in(_report(work)) == "PASS"


def said_by_evaluator(state: State) -> str:
    """Its first line; empty where nobody knows it any more, which is no PASS."""
    sent = evaluators_dispatch(state)
    return sent.said if sent else ""


def evaluators_dispatch(state: State) -> Dispatch | None:
    return next((each for each in reversed(state.dispatches) if each.persona == "evaluator"), None)


def outcome_of(*, passed: bool) -> Outcome:
    """How a phase that judges has ended: a FAIL that was found is no success, and no failure of the phase."""
    return Outcome.PASSED if passed else Outcome.BELOW_THRESHOLD


def over_failed_checks(work: Work) -> str:
    """What is to be said where a PASS would hide that Layer 1 has failed; empty where it has not."""
    if work.state.verify.layer1_result != "FAIL":
        return ""
    summary = summary_in(artefact_text(work, work.state.docs_path + VERIFY_REPORT)) or "FAIL"
    return work.words("line.passed_over_fail", summary=summary)


def failing_items(work: Work) -> str:
    """What the report wants fixed, in one line; where it names nothing, what was said and what the report says."""
    report = _report(work)
    found = _FIX.search(report)
    section = report[found.end() :].partition("\n#")[0] if found else ""
    items = [line.strip(" \t-*") for line in section.splitlines() if line.strip(" \t-*")]
    unnamed = f"{said_by_evaluator(work.state) or '?'} · {QA_REPORT}: {_verdict_in(report)}"
    return one_line("; ".join(items) or unnamed, _LONGEST).rstrip(".")


def without_results(verify: Verify) -> Verify:
    """No check has run yet."""
    return msgspec.structs.replace(verify, layer1_result=None, layer2_result=None)


def _report(work: Work) -> str:
    return artefact_text(work, work.state.docs_path + QA_REPORT)


def _verdict_in(report: str) -> str:
    """PASS, FAIL, or `?` where there is none; one FAIL anywhere is FAIL."""
    found = _VERDICT.findall(report)
    return "FAIL" if "FAIL" in found else "PASS" if found else "?"
