"""Step 7, the verdict: done, another try at Layer 2, another round, or somebody decides."""

import msgspec

from onbook.policy.hands import read_or_none
from onbook.workflow.files.artefacts import QA_REPORT
from onbook.workflow.files.writing import write_own
from onbook.workflow.gates import Question, Stopped, gate_question
from onbook.workflow.phases.findings import (
    evaluators_dispatch,
    failing_items,
    is_passed,
    over_failed_checks,
    said_by_evaluator,
    without_results,
)
from onbook.workflow.state.state import LAYER2_RETRIES, Ending
from onbook.workflow.work import Work


async def verdict(work: Work) -> None:
    """From `evaluate_done` to `completed`, to `generating` (Layer 2 again) or to `generate_ready` (the next round)."""
    state = work.state
    is_layer2 = state.verify.layer2_result == "FAIL"
    if is_passed(work):
        warning = over_failed_checks(work)
        _add_to_report(work, warning)
        _complete(work, "passed")
        work.say(work.words("line.passed"))
        if warning:
            work.say(warning, "warning")
    elif is_layer2 and state.verify.layer2_retries < LAYER2_RETRIES:
        _send_back(work)
    else:
        if is_layer2:
            _say_exhausted(work)
        await (_ask_in_round(work) if state.round < state.max_rounds else _ask_at_last(work))


def _add_to_report(work: Work, warning: str) -> None:
    """Whoever reads the report later must not take its PASS for one of the checks. Twice does no harm."""
    path = work.state.docs_path + QA_REPORT
    report = read_or_none(work.root, path) or b""
    line = f"> {warning}\n".encode()
    if warning and line not in report:
        write_own(work.root, path, report.rstrip(b"\n") + b"\n\n" + line)


def _send_back(work: Work) -> None:
    """Nobody is asked. Layer 1 has all its retries again, and what the evaluator said goes along."""
    verify = work.state.verify
    counted = msgspec.structs.replace(verify, layer1_retries=0, layer2_retries=verify.layer2_retries + 1)
    said = said_by_evaluator(work.state)
    kept = evaluators_dispatch(work.state)
    work.advance(phase="generating", verify=counted, dispatches=(kept,) if kept else ())
    retrying = work.words("line.evaluate_retry", retry=counted.layer2_retries, most=LAYER2_RETRIES)
    work.say(f"{retrying}\n{said}")


def _say_exhausted(work: Work) -> None:
    exhausted = work.words("line.evaluate_exhausted", retries=work.state.verify.layer2_retries, most=LAYER2_RETRIES)
    work.say(f"{exhausted}\n{work.words('line.failing_items', summary=failing_items(work))}")


async def _ask_in_round(work: Work) -> None:
    layer = "layer2" if work.state.verify.layer2_result == "FAIL" else "layer3"
    question = gate_question(
        work.words,
        "qa",
        variant=layer,
        retries=work.state.verify.layer2_retries,
        summary=failing_items(work),
    )
    match await _chosen(work, question):
        case "fix":
            _next_round(work)
        case "accept":
            _complete(work, "accepted")


async def _ask_at_last(work: Work) -> None:
    """The last round: both layers end at the same gate."""
    work.say(work.words("line.max_rounds"))
    state = work.state
    question = gate_question(
        work.words, "rounds", round=state.round, max_rounds=state.max_rounds, summary=failing_items(work)
    )
    match await _chosen(work, question):
        case "extend":
            _next_round(work, more=1)
        case "accept":
            _complete(work, "max_rounds")


async def _chosen(work: Work, question: Question) -> str:
    choice = (await work.gates.ask(question)).choice
    if choice == "stop":
        raise Stopped(question)
    return choice


def _next_round(work: Work, more: int = 0) -> None:
    anew = msgspec.structs.replace(without_results(work.state.verify), layer1_retries=0, layer2_retries=0)
    work.advance(
        phase="generate_ready",
        round=work.state.round + 1,
        max_rounds=work.state.max_rounds + more,
        verify=anew,
        dispatches=(),
    )


def _complete(work: Work, outcome: Ending) -> None:
    work.advance(phase="completed", outcome=outcome)
