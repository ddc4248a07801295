"""Seed 4, Step 7: what a verdict leads to, and how often."""

import msgspec
import pytest

from onbook.workflow.gates import Stopped, Waiting
from onbook.workflow.phases.verdict import verdict
from onbook.workflow.state.state import Dispatch
from onbook.workflow.work import Work
from tests.workflow.staging import DOCS, Staged
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

REPORT = """## QA Report

### Fix Instructions

1. Add a test for floats.
2. Mend the README.

### Verdict: {verdict}
"""


async def judged(staged: Staged, line: str, *answers: str, layer2_retries: int = 0, max_rounds: int = 3) -> Work:
    """A workflow whose evaluator has said this, at the verdict."""
    work = await staged.begun("generate_done", *answers, max_rounds=max_rounds)
    for retry in range(layer2_retries + 1):
        said = line if retry == layer2_retries else "FAIL L2 — dead code"
        evaluated(work, said)
        if retry < layer2_retries:
            await verdict(work)
            work.advance(phase="generate_done")
    return work


def evaluated(work: Work, line: str) -> None:
    """Once through the checks and the evaluator."""
    none = msgspec.structs.replace(work.state.verify, layer1_result=None, layer2_result=None)
    work.advance(phase="verify_ready", verify=none)
    work.advance(phase="verifying")
    work.advance(phase="verify_done", verify=msgspec.structs.replace(none, layer1_result="PASS"))
    work.advance(phase="evaluate_ready", dispatches=())
    work.advance(phase="evaluating")
    work.path("qa_report.md").write_text(REPORT.format(verdict=line[:4]))
    layer2 = "FAIL" if line.startswith("FAIL L2") else "PASS"
    done = msgspec.structs.replace(work.state.verify, layer2_result=layer2)
    sent = Dispatch("evaluator", f"{DOCS}qa_report.md", said=line)
    work.advance(phase="evaluate_done", verify=done, dispatches=(sent,))


async def test_pass_completes_the_task(staged: Staged) -> None:
    await verdict(await judged(staged, "PASS — good"))
    assert (staged.state.phase, staged.state.outcome) == ("completed", "passed")
    assert staged.said[-1] == "[harness] ✓ QA PASS — task complete."


async def test_a_layer_2_fail_goes_back_without_a_gate_and_layer_1_counts_anew(staged: Staged) -> None:
    work = await judged(staged, "FAIL L2 — dead code")
    await verdict(work)
    verify = staged.state.verify
    assert (staged.state.phase, verify.layer2_retries, verify.layer1_retries) == ("generating", 1, 0)
    assert staged.said[-1] == (
        "[harness] Evaluate FAIL (Layer 2) — retrying Generator (attempt 1/2)\nFAIL L2 — dead code"
    )


async def test_after_two_layer_2_retries_a_person_decides(staged: Staged) -> None:
    with pytest.raises(Waiting) as waiting:
        await verdict(await judged(staged, "FAIL L2 — dead code", layer2_retries=2))
    items = "1. Add a test for floats.; 2. Mend the README"
    assert staged.said[-2] == (f"[harness] Evaluate FAIL (Layer 2) — max retries reached (2/2)\nFailing items: {items}")
    question = waiting.value.question
    assert (question.gate, question.header) == ("qa", "QA")
    assert question.text == f"Layer 2 structural verification failed after 2 retries. {items}"
    assert [option.choice for option in question.options] == ["fix", "accept", "stop"]
    assert question.options[0].description == "Run next round"


async def test_a_layer_3_fail_asks_and_fix_begins_the_next_round(staged: Staged) -> None:
    work = await judged(staged, "FAIL L3 — no floats", "qa=fix", layer2_retries=1)
    await verdict(work)
    state = staged.state
    assert (state.phase, state.round) == ("generate_ready", 2)
    assert (state.verify.layer1_result, state.verify.layer2_result) == (None, None)
    assert (state.verify.layer1_retries, state.verify.layer2_retries) == (0, 0)
    assert state.spec_sha256 is not None


async def test_the_question_of_layer_3_is_the_seeds(staged: Staged) -> None:
    with pytest.raises(Waiting) as waiting:
        await verdict(await judged(staged, "FAIL L3 — no floats"))
    question = waiting.value.question
    assert question.text == "QA result: FAIL (Layer 3). 1. Add a test for floats.; 2. Mend the README."
    assert question.options[0].description == "Run next round to fix FAIL items"


async def test_accept_completes_as_it_is(staged: Staged) -> None:
    await verdict(await judged(staged, "FAIL L3 — no floats", "qa=accept"))
    assert (staged.state.phase, staged.state.outcome) == ("completed", "accepted")


async def test_stop_leaves_the_verdict_open(staged: Staged) -> None:
    with pytest.raises(Stopped):
        await verdict(await judged(staged, "FAIL L3 — no floats", "qa=stop"))
    assert (staged.state.phase, staged.state.outcome) == ("evaluate_done", None)


@pytest.mark.parametrize(("line", "retries"), [("FAIL L3 — no floats", 0), ("FAIL L2 — dead code", 2)])
async def test_in_the_last_round_both_layers_end_at_the_gate_rounds(staged: Staged, line: str, retries: int) -> None:
    with pytest.raises(Waiting) as waiting:
        await verdict(await judged(staged, line, "qa=fix", layer2_retries=retries, max_rounds=1))
    assert waiting.value.question.gate == "rounds"
    assert staged.said[-2] == "[harness] Max rounds reached. Remaining issues in qa_report.md."


async def test_accept_in_the_last_round_is_max_rounds(staged: Staged) -> None:
    await verdict(await judged(staged, "FAIL L3 — no floats", "rounds=accept", max_rounds=1))
    assert (staged.state.phase, staged.state.outcome) == ("completed", "max_rounds")


async def test_extend_allows_one_more_round_and_begins_it(staged: Staged) -> None:
    await verdict(await judged(staged, "FAIL L3 — no floats", "rounds=extend", max_rounds=1))
    assert (staged.state.phase, staged.state.round, staged.state.max_rounds) == ("generate_ready", 2, 2)


async def test_a_report_without_a_verdict_is_no_pass(staged: Staged) -> None:
    work = await judged(staged, "PASS — good")
    work.path("qa_report.md").write_text("All is well. Verdict: PASS\n")
    with pytest.raises(Waiting) as waiting:
        await verdict(work)
    assert waiting.value.question.text == "QA result: FAIL (Layer 3). PASS — good · qa_report.md: ?."


async def test_a_pass_that_nobody_is_known_to_have_said_is_none(staged: Staged) -> None:
    work = await judged(staged, "PASS — good")
    work.advance(dispatches=())
    with pytest.raises(Waiting):
        await verdict(work)
