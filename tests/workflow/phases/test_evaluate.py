"""Seed 4, Step 6: the evaluator is isolated, and PASS needs its line and its report."""

import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.workflow.files.changed import listed_in
from onbook.workflow.phases.evaluate import evaluate
from onbook.workflow.phases.findings import is_passed
from onbook.workflow.phases.verify import after_verify, verify
from onbook.workflow.state.state import State
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q"
CHANGES = """## Changed Files

- `calc.py` — SECRET-REASON: the generator thought that this is best
- `README.md` — the AI agent explains itself

## Notes

NOTE-OF-THE-MAKER
"""


def judging(cast: Cast, line: str, verdict: str = "PASS", fixes: str = "") -> None:
    text = f"## QA Report\n\n### Fix Instructions\n\n{fixes}\n\n### Verdict: {verdict}\n"
    cast.plays("evaluator_prompt", Part(line, {f"{DOCS}qa_report.md": text}))


async def evaluated(staged: Staged, cast: Cast, *answers: str, **fields: Any) -> str:
    """What the evaluator was told of a change that was verified before."""
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    work = await staged.begun("generate_done", *answers, **fields)
    (work.root / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    (work.root / "test_calc.py").write_text("from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n")
    work.path("changes.md").write_text(CHANGES)
    for path, text in ((".harness/generator/plan.md", "THE-PLAN"), (".harness/generator/review_combined.md", "REVIEW")):
        (work.root / path).write_text(text)
    await verify(work)
    await after_verify(work)
    await evaluate(work)
    assert staged.state.phase == "evaluate_done"
    return cast.prompts("evaluator_prompt")[-1]


async def test_the_prompt_has_the_spec_the_paths_and_nothing_of_how_they_came_about(staged: Staged, cast: Cast) -> None:
    judging(cast, "PASS — all criteria hold")
    prompt = await evaluated(staged, cast, scope="*.py", test_cmd=PYTEST)
    for told in ("There is a function add(a, b).", "- calc.py", "- README.md", "- test_calc.py", "*.py", PYTEST):
        assert told in prompt
    for hidden in ("SECRET-REASON", "NOTE-OF-THE-MAKER", "explains itself", "THE-PLAN", "REVIEW", "changes.md"):
        assert hidden not in prompt
    assert re.findall(r"\b(?:generator|AI|(?:sub-)?agents?)\b", prompt, re.IGNORECASE) == []


async def test_changed_files_are_gits_and_those_of_changes_md_and_never_the_workflows_own(
    staged: Staged, cast: Cast
) -> None:
    judging(cast, "PASS — all criteria hold")
    listed = re.findall(r"^- (\S+)$", await evaluated(staged, cast), re.MULTILINE)
    assert [path for path in listed if path.endswith((".py", ".md"))] == ["README.md", "calc.py", "test_calc.py"]


async def test_the_lines_of_a_pass_are_the_seeds(staged: Staged, cast: Cast) -> None:
    judging(cast, "PASS — all criteria hold")
    await evaluated(staged, cast)
    assert staged.said[-4:] == [
        "[harness] Phase: Evaluate (Layer 2+3)",
        "Dispatching evaluator sub-agent...",
        "✓ PASS — all criteria hold",
        "[harness] Evaluate complete.",
    ]


async def test_a_layer_1_that_passed_is_told(staged: Staged, cast: Cast) -> None:
    judging(cast, "PASS — all criteria hold")
    prompt = await evaluated(staged, cast, test_cmd="true")
    assert f"Layer 1 PASSED — build/test/lint/type-check verified. See {DOCS}verify_report.md" in prompt


async def test_a_layer_1_that_failed_is_told_when_somebody_goes_on(staged: Staged, cast: Cast) -> None:
    judging(cast, "PASS — all criteria hold")
    cast.plays("generator_single", Part("1 files changed — again", {f"{DOCS}changes.md": CHANGES}))
    work = await staged.begun("generate_done", "verify=continue", test_cmd="false")
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    work.path("changes.md").write_text(CHANGES)
    for _ in range(4):
        await verify(work)
        await after_verify(work)
        if staged.state.phase == "generating":
            work.advance(phase="generate_done")
    await evaluate(work)
    assert (
        f"Layer 1 FAILED (user proceeded despite failures) — see {DOCS}verify_report.md. Pay extra attention to "
        "build/test correctness."
    ) in cast.prompts("evaluator_prompt")[0]


async def test_a_layer_1_without_commands_was_not_executed(staged: Staged, cast: Cast) -> None:
    judging(cast, "PASS — all criteria hold")
    assert "Layer 1 was not executed for this session." in await evaluated(staged, cast)


@pytest.mark.parametrize(
    ("line", "verdict", "mark", "layer2"),
    [
        ("PASS — good", "PASS", "✓", "PASS"),
        ("PASS — good", "FAIL", "✗", "PASS"),
        ("FAIL L3 — a criterion", "PASS", "✗", "PASS"),
        ("FAIL L2 — dead code", "FAIL", "✗", "FAIL"),
        ("FAIL — something", "FAIL", "✗", "PASS"),
        ("It looks good to me, PASS!", "PASS", "✗", "PASS"),
    ],
)
async def test_pass_needs_the_line_and_the_report(
    staged: Staged, cast: Cast, line: str, verdict: str, mark: str, layer2: str
) -> None:
    judging(cast, line, verdict)
    await evaluated(staged, cast)
    assert is_passed(staged.work) is (mark == "✓")
    assert staged.state.verify.layer2_result == layer2
    assert staged.said[-2].startswith(mark)


async def test_without_git_a_snapshot_tells_what_has_changed(staged: Staged, cast: Cast, repository: Path) -> None:
    judging(cast, "PASS — all criteria hold")
    shutil.rmtree(repository / ".git/refs")
    prompt = await evaluated(staged, cast)
    assert "- calc.py" in prompt
    assert "- test_calc.py" in prompt
    assert "- .gitignore" not in prompt


async def test_a_spec_that_changed_after_its_approval_is_not_judged_by(staged: Staged, cast: Cast) -> None:
    judging(cast, "PASS — all criteria hold")
    work = await staged.begun("generate_done")
    work.path("changes.md").write_text(CHANGES)
    await verify(work)
    await after_verify(work)
    work.path("spec.md").write_text("Anything goes.\n")
    await evaluate(work)
    assert staged.state.phase == "plan_done"
    assert cast.prompts("evaluator_prompt") == []


@given(text=st.text(alphabet="calc.py`-*|[]() \n/~…é", max_size=80))
def test_whatever_changes_md_says_only_files_come_out_of_it(text: str, tmp_path_factory: Any) -> None:
    root = tmp_path_factory.getbasetemp() / "listed"
    root.mkdir(exist_ok=True)
    (root / "calc.py").touch()
    work = SimpleNamespace(root=root, state=State(task="t", docs_path=DOCS))
    assert set(listed_in(text, work)) <= {"calc.py"}  # type: ignore[arg-type]
