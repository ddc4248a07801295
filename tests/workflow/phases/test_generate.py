"""Seed 4, Step 4: the changes in three modes, and the retries that send one agent out and nobody else."""

import json
from typing import Any

import msgspec
import pytest

from onbook.events import StepStarted
from onbook.workflow.agents.sending import open_agents
from onbook.workflow.gates import Stopped
from onbook.workflow.phases.generate import generate
from onbook.workflow.state.state import Dispatch
from onbook.workflow.work import Work
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, RUN, Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

FOLDER = ".harness/generator/"
CHANGES = "## Changed Files\n\n- `calc.py` — it was asked for\n"
CODE = {"calc.py": "def add(a, b):\n    return a + b\n", f"{DOCS}changes.md": CHANGES}


def crew(cast: Cast) -> None:
    """Everybody who generates."""
    cast.plays("generator_single", Part("1 files changed — a sum", CODE))
    cast.plays("lead_developer", Part("plan written — 1 step", {f"{FOLDER}plan.md": "THE-PLAN"}))
    cast.plays("combined_advisor", Part("review written — good", {f"{FOLDER}review_combined.md": "COMBINED"}))
    cast.plays("code_quality_advisor", Part("review written — ok", {f"{FOLDER}review_code_quality.md": "QUALITY"}))
    cast.plays(
        "test_stability_advisor", Part("review written — ok", {f"{FOLDER}review_test_stability.md": "STABILITY"})
    )
    for template in ("implementation_standard", "implementation"):
        cast.plays(template, Part("1 files changed — a sum", CODE))


async def test_single_mode_sends_the_generator(staged: Staged, cast: Cast) -> None:
    crew(cast)
    await generate(await staged.begun("generate_ready", scope="*.py", max_files=7))
    assert staged.state.phase == "generate_done"
    assert (staged.work.root / "calc.py").read_text() == CODE["calc.py"]
    assert staged.said == [
        "[harness] Phase: Generate",
        "Dispatching generator sub-agent...",
        "✓ 1 files changed — a sum",
        "[harness] Generate complete.",
    ]
    (prompt,) = cast.prompts("generator_single")
    for told in ("There is a function add(a, b).", "(First round)", "*.py", "7 files", f"{DOCS}changes.md"):
        assert told in prompt


async def test_standard_mode_plans_takes_advice_and_implements(staged: Staged, cast: Cast) -> None:
    crew(cast)
    await generate(await staged.begun("generate_ready", mode="standard", test_cmd="pytest -q"))
    assert cast.order == ["lead_developer", "combined_advisor", "implementation_standard"]
    assert staged.said[2:5] == [
        "✓ Plan: plan written — 1 step",
        "✓ Review: review written — good",
        "✓ Code: 1 files changed — a sum",
    ]
    assert "THE-PLAN" in cast.prompts("combined_advisor")[0]
    assert "pytest -q" in cast.prompts("combined_advisor")[0]
    (prompt,) = cast.prompts("implementation_standard")
    assert "THE-PLAN" in prompt
    assert "COMBINED" in prompt


async def test_multi_mode_has_two_advisors_who_do_not_see_each_other(staged: Staged, cast: Cast) -> None:
    crew(cast)
    await generate(await staged.begun("generate_ready", mode="multi"))
    assert cast.order[0] == "lead_developer"
    assert sorted(cast.order[1:3]) == ["code_quality_advisor", "test_stability_advisor"]
    assert staged.said[3] == "✓ Reviews: 2 advisors completed"
    assert "STABILITY" not in cast.prompts("code_quality_advisor")[0]
    assert "QUALITY" not in cast.prompts("test_stability_advisor")[0]
    (prompt,) = cast.prompts("implementation")
    for told in ("THE-PLAN", "QUALITY", "STABILITY"):
        assert told in prompt


async def test_advice_is_on_the_plan_before_any_code_is_written(staged: Staged, cast: Cast) -> None:
    crew(cast)
    await generate(await staged.begun("generate_ready", mode="multi"))
    for advisor in ("code_quality_advisor", "test_stability_advisor"):
        assert "return a + b" not in cast.prompts(advisor)[0]


async def sent_back(staged: Staged, mode: str, **verify: Any) -> Work:
    """A first generation, and then the state in which a retry begins."""
    work = await staged.begun("generate_ready", mode=mode)
    await generate(work)
    _checked(work, "FAIL" if not verify else "PASS")
    if verify:
        work.advance(phase="evaluate_ready")
        work.advance(phase="evaluating")
        said = Dispatch("evaluator", f"{DOCS}qa_report.md", said="FAIL L2 — dead code")
        work.advance(phase="evaluate_done", verify=_with(work, **verify), dispatches=(said,))
        work.advance(phase="generating", verify=_with(work, layer2_retries=1))
    else:
        work.advance(phase="generating", verify=_with(work, layer1_retries=1), dispatches=())
    return work


def _with(work: Work, **changes: Any) -> Any:
    return msgspec.structs.replace(work.state.verify, **changes)


def _checked(work: Work, result: str) -> None:
    work.path("verify_report.md").write_text("# Verify report: Layer 1\n\nSummary: FAIL — Test: it subtracts\n")
    work.advance(phase="verify_ready")
    work.advance(phase="verifying")
    work.advance(phase="verify_done", verify=_with(work, layer1_result=result))


@pytest.mark.parametrize(
    ("mode", "template"),
    [("single", "generator_single"), ("standard", "implementation_standard"), ("multi", "implementation")],
)
async def test_a_retry_sends_one_agent_with_what_failed(staged: Staged, cast: Cast, mode: str, template: str) -> None:
    crew(cast)
    work = await sent_back(staged, mode)
    cast.plays(template, Part("1 files changed — it adds now", CODE))
    before = cast.order
    await generate(work)
    assert cast.order[len(before) :] == [template]
    (prompt,) = cast.prompts(template)
    assert "FAIL — Test: it subtracts" in prompt
    assert f"{DOCS}verify_report.md" in prompt
    assert ("THE-PLAN" in prompt) == (mode != "single")
    assert staged.state.phase == "generate_done"
    assert staged.typed.seen.of(StepStarted)[-2].address == "generate[2]"


async def test_a_layer_2_retry_gets_the_evaluators_line_and_its_report(staged: Staged, cast: Cast) -> None:
    crew(cast)
    work = await sent_back(staged, "single", layer2_result="FAIL")
    cast.plays("generator_single", Part("1 files changed — tidied", CODE))
    await generate(work)
    (prompt,) = cast.prompts("generator_single")
    assert "FAIL L2 — dead code" in prompt
    assert f"{DOCS}qa_report.md" in prompt


async def test_a_later_round_gets_the_feedback_and_plans_anew(staged: Staged, cast: Cast) -> None:
    crew(cast)
    work = await staged.begun("generate_ready")
    await generate(work)
    _checked(work, "PASS")
    work.advance(phase="evaluate_ready")
    work.advance(phase="evaluating")
    work.path("qa_report.md").write_text("### Fix Instructions\n\n1. FEEDBACK\n\n### Verdict: FAIL\n")
    work.advance(phase="evaluate_done", verify=_with(work, layer2_result="PASS"))
    anew = _with(work, layer1_result=None, layer2_result=None)
    work.advance(phase="generate_ready", round=2, verify=anew, dispatches=())
    cast.plays("generator_single", Part("1 files changed — mended", CODE))
    await generate(work)
    (prompt,) = cast.prompts("generator_single")
    assert "FEEDBACK" in prompt
    assert "(First round)" not in prompt
    assert "it subtracts" not in prompt


async def test_after_a_crash_the_plan_and_the_reviews_that_are_there_are_not_made_again(
    staged: Staged, cast: Cast
) -> None:
    crew(cast)
    cast.plays("implementation", Part("nothing"))
    work = await staged.begun("generate_ready", "artefact=stop", mode="multi")
    with pytest.raises(Stopped):
        await generate(work)
    crew(cast)
    await generate(Work(work.live, RUN, work.store, work.gates, await open_agents(work.live), work.words))
    assert cast.order == ["implementation"]
    assert staged.state.phase == "generate_done"


async def test_a_spec_that_changed_after_its_approval_is_gated_again(staged: Staged, cast: Cast) -> None:
    crew(cast)
    work = await staged.begun("generate_ready")
    work.path("spec.md").write_text("Something else.\n")
    await generate(work)
    assert (staged.state.phase, staged.state.spec_sha256) == ("plan_done", None)
    assert staged.said == [f"[harness] ⚠ {DOCS}spec.md has changed since it was approved; it is confirmed again"]
    assert cast.order == []


async def test_a_generator_that_writes_outside_its_scope_is_refused_by_the_door(staged: Staged, cast: Cast) -> None:
    crew(cast)
    code = {"elsewhere.txt": "no", **CODE}
    cast.plays("generator_single", Part("2 files changed — too much", code))
    await generate(await staged.begun("generate_ready", scope="*.py", scopes=("*.py",)))
    assert not (staged.work.root / "elsewhere.txt").exists()
    assert (staged.work.root / "calc.py").exists()
    assert json.loads((staged.work.root / ".harness/state.json").read_text())["phase"] == "generate_done"
