"""Seed 4, Step 5: Layer 1 is run by onbook itself, with real pytest and ruff, and computed, never asked."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from onbook.events import ProcessFinished, StepFinished, StepStarted, TextDelta
from onbook.workflow.checks.layer1 import effect_of
from onbook.workflow.checks.report import failing_in, has_run, summary_in
from onbook.workflow.gates import Stopped, Waiting
from onbook.workflow.phases.verify import after_verify, verify
from onbook.workflow.state.state import Verify
from onbook.workspace.errors import WorkspaceError
from tests.conftest import eventually
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q"
RUFF = f"{sys.executable} -m ruff check ."
SUM = f"{sys.executable} -Sc 'from calc import add; assert add(1, 2) == 3'"
GOOD = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / f"{name}.py").write_text(text)
    (root / DOCS / "changes.md").write_text("## Changed Files\n\n- `calc.py` — because the spec says so\n")


def report(staged: Staged) -> str:
    return (staged.work.root / DOCS / "verify_report.md").read_text()


async def verified(staged: Staged, *answers: str, files: dict[str, str] | None = None, **fields: Any) -> str | None:
    """What Layer 1 says of these files."""
    work = await staged.begun("generate_done", *answers, **fields)
    write(work.root, **(files or {"calc": GOOD, "test_calc": TEST}))
    await verify(work)
    assert staged.state.phase == "verify_done"
    return staged.state.verify.layer1_result


async def test_real_pytest_and_ruff_that_pass_are_pass(staged: Staged, cast: Cast) -> None:
    assert await verified(staged, test_cmd=PYTEST, lint_cmd=RUFF) == "PASS"
    assert summary_in(report(staged)) == "PASS — test: 1 passed; lint; build, type check skipped"
    assert staged.said == [
        "[harness] Phase: Verify (Layer 1 — Mechanical)",
        "[harness] Verify (Layer 1) complete.\nResult : PASS\nPASS — test: 1 passed; lint; build, type check skipped",
    ]
    assert cast.order == []


async def test_a_failing_test_is_fail_with_a_diagnosis_and_the_files_it_names(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: calc.py:2: it subtracts"))
    result = await verified(staged, files={"calc": WRONG, "test_calc": TEST}, test_cmd=PYTEST, lint_cmd=RUFF)
    assert result == "FAIL"
    text = report(staged)
    assert summary_in(text) == "FAIL — Test: calc.py:2: it subtracts"
    assert "| Test | FAIL (1 failed) | 1 |" in text
    assert "| Lint | PASS | 0 |" in text
    assert "test_calc.py" in failing_in(text)
    assert "FAILED test_calc.py::test_add" in cast.prompts("verify_layer1")[0]


async def test_without_a_verifier_the_first_error_line_serves(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("I cannot see anything wrong."))
    await verified(staged, files={"calc": WRONG, "test_calc": TEST}, test_cmd=PYTEST)
    assert summary_in(report(staged)) == "FAIL — Test: FAILED test_calc.py::test_add - assert -1 == 3"


async def test_a_verifier_that_says_pass_changes_nothing(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("PASS — all is well"))
    assert await verified(staged, test_cmd="echo 'calc.py:2: error: no'; exit 1") == "FAIL"
    assert summary_in(report(staged)) == "FAIL — Test: calc.py:2: error: no"


async def test_a_failed_build_skips_the_rest(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("FAIL — Build: broken"))
    result = await verified(
        staged, build_cmd="false", test_cmd="touch ran", lint_cmd="touch ran", type_check_cmd="touch ran"
    )
    assert result == "FAIL"
    assert not (staged.work.root / "ran").exists()
    assert report(staged).count("SKIPPED (the build failed)") == 3


async def test_a_lint_error_fails_and_pylint_warnings_do_not(staged: Staged, cast: Cast, tmp_path: Path) -> None:
    cast.plays("verify_layer1", Part("FAIL — Lint: unused"))
    pylint = tmp_path / "pylint"
    pylint.write_text("#!/bin/sh\nexit $1\n")
    pylint.chmod(0o755)
    assert await verified(staged, files={"calc": "import os\n"}, lint_cmd=RUFF) == "FAIL"
    for code, result in ((4 | 8 | 16, "PASS"), (2 | 4, "FAIL"), (32, "FAIL")):
        staged.work.advance(phase="verify_ready", verify=Verify())
        staged.work.advance(lint_cmd=f"{pylint} {code}")
        await verify(staged.work)
        assert staged.state.verify.layer1_result == result, code


async def test_pytest_without_tests_is_skipped_and_nothing_was_executed(staged: Staged) -> None:
    assert await verified(staged, files={"calc": GOOD}, test_cmd=PYTEST) == "PASS"
    assert "| Test | SKIPPED (no tests) | 5 |" in report(staged)
    assert not has_run(report(staged))


async def test_another_programs_exit_code_5_is_a_failure(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: five"))
    assert await verified(staged, test_cmd="exit 5") == "FAIL"


async def test_all_four_unknown_is_pass(staged: Staged) -> None:
    assert await verified(staged) == "PASS"
    assert not has_run(report(staged))


async def test_what_is_left_to_do_in_changed_files_warns(staged: Staged) -> None:
    (staged.work.root / "old.py").write_text("")
    assert await verified(staged, files={"calc": "# TODO: subtract\nTODOS = 1\n"}) == "PASS"
    assert "calc.py:1: # TODO: subtract" in report(staged)
    assert summary_in(report(staged)).endswith("1 × TODO/FIXME/HACK")


async def test_what_is_left_to_do_fails_where_it_blocks(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("nothing"))
    assert await verified(staged, files={"calc": "x = 1  # FIXME\n"}, verify=Verify(todo_blocking=True)) == "FAIL"
    assert summary_in(report(staged)) == "FAIL — calc.py:1: x = 1  # FIXME"
    assert failing_in(report(staged)) == ("calc.py",)


async def test_output_comes_live_and_every_command_is_written_down(staged: Staged) -> None:
    await verified(staged, test_cmd="echo one; echo two", lint_cmd="true")
    events = staged.typed.seen
    assert "".join(event.text for event in events.of(TextDelta)) == "one\ntwo\n"
    assert [(event.command, event.exit_code) for event in events.of(ProcessFinished)] == [
        ("echo one; echo two", 0),
        ("true", 0),
    ]
    assert [(step.address, step.outcome) for step in events.of(StepFinished)] == [
        ("verify/test", "passed"),
        ("verify/lint", "passed"),
        ("verify", "passed"),
    ]
    logged = [line.effect for line in staged.work.live.door.audit.tail(50)]
    assert effect_of("echo one; echo two") in logged


async def test_a_file_that_is_mended_within_a_second_is_verified_as_it_is_now(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    assert await verified(staged, files={"calc": WRONG}, test_cmd=SUM) == "FAIL"
    wrong = (staged.work.root / "calc.py").stat()
    (staged.work.root / "calc.py").write_text(GOOD)
    os.utime(staged.work.root / "calc.py", ns=(wrong.st_atime_ns, wrong.st_mtime_ns))
    await verify(staged.work)
    assert staged.state.verify.layer1_result == "PASS"


async def test_cancelled_in_the_middle_it_leaves_no_process_and_runs_again(staged: Staged, tmp_path: Path) -> None:
    work = await staged.begun("generate_done", test_cmd=f"echo $$ > {tmp_path}/pid; sleep 60")
    verifying = asyncio.create_task(verify(work))
    pid = int(
        await asyncio.to_thread(eventually, lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text())
    )
    verifying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await verifying
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert staged.state.phase == "verifying"
    assert {step.outcome for step in staged.typed.seen.of(StepFinished)} == {"cancelled"}
    work.advance(test_cmd="true")
    await verify(work)
    assert staged.state.verify.layer1_result == "PASS"


async def test_a_folder_that_became_a_link_to_elsewhere_is_not_written_to(staged: Staged, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    work = await staged.begun("generate_done")
    (work.root / DOCS).rename(tmp_path / "moved")
    (work.root / DOCS.rstrip("/")).symlink_to(elsewhere)
    with pytest.raises(WorkspaceError, match=f"cannot write {DOCS}verify_report.md"):
        await verify(work)
    assert list(elsewhere.iterdir()) == []
    assert staged.state.phase == "verifying"


async def test_a_fail_with_retries_left_goes_back_to_the_generator(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    await verified(staged, test_cmd="false")
    await after_verify(staged.work)
    assert (staged.state.phase, staged.state.verify.layer1_retries) == ("generating", 1)
    assert staged.said[-1] == ("[harness] Verify (Layer 1) FAIL — retrying Generator (attempt 1/3)\nFAIL — Test: no")


async def exhausted(staged: Staged, cast: Cast, *answers: str) -> None:
    """Three retries, each of which fails."""
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    await verified(staged, *answers, test_cmd="false")
    for _ in range(3):
        await after_verify(staged.work)
        staged.work.advance(phase="generate_done")
        await verify(staged.work)


async def test_after_three_retries_a_person_decides(staged: Staged, cast: Cast) -> None:
    await exhausted(staged, cast)
    with pytest.raises(Waiting) as waiting:
        await after_verify(staged.work)
    assert staged.said[-2] == (
        "[harness] Verify (Layer 1) FAIL — max retries reached (3/3)\n"
        f"Latest error: FAIL — Test: no\nSee: {DOCS}verify_report.md"
    )
    question = waiting.value.question
    assert question.text == "Mechanical verification failed after 3 retries. FAIL — Test: no"
    assert [option.choice for option in question.options] == ["autofix", "continue", "stop"]
    assert staged.state.phase == "verify_done"


async def test_continue_goes_on_to_the_evaluator_with_the_fail(staged: Staged, cast: Cast) -> None:
    await exhausted(staged, cast, "verify=continue")
    await after_verify(staged.work)
    assert (staged.state.phase, staged.state.verify.layer1_result) == ("evaluate_ready", "FAIL")


async def test_stop_stays_where_it_is(staged: Staged, cast: Cast) -> None:
    await exhausted(staged, cast, "verify=stop")
    with pytest.raises(Stopped):
        await after_verify(staged.work)
    assert (staged.state.phase, staged.state.verify.layer1_retries) == ("verify_done", 3)


async def test_a_step_reports_a_fail_and_retries_nothing(staged: Staged, cast: Cast) -> None:
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    await verified(staged, test_cmd="false", run_style="step")
    assert staged.said[-1] == "[harness] Verify (Layer 1) complete.\nResult : FAIL\nFAIL — Test: no"


async def test_pass_leads_on_to_evaluate(staged: Staged) -> None:
    await verified(staged, test_cmd="true")
    await after_verify(staged.work)
    assert staged.state.phase == "evaluate_ready"


PATCH = """Confidence: High

```diff
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a {} b
+    return a + b
```
"""


async def fixable(staged: Staged, cast: Cast, sign: str, *answers: str) -> None:
    """Layer 1 has failed for good, and the proposer has a patch for a sum that is calculated with this sign."""
    path = ".harness/generator/auto_fix_patch.md"
    cast.plays(
        "auto_fix_proposer", Part("auto_fix_patch written — confidence: High — adds", {path: PATCH.format(sign)})
    )
    cast.plays("verify_layer1", Part("FAIL — Test: no"))
    work = await staged.begun("generate_done", *answers, test_cmd=SUM)
    write(work.root, calc=WRONG)
    for _ in range(4):
        await verify(work)
        if staged.state.verify.layer1_retries < 3:
            await after_verify(work)
            work.advance(phase="generate_done")


async def test_a_patch_that_is_applied_and_passes_leads_on(staged: Staged, cast: Cast) -> None:
    await fixable(staged, cast, "-", "verify=autofix", "autofix=apply")
    await after_verify(staged.work)
    await verify(staged.work)
    assert staged.typed.seen.of(StepStarted)[-2].address == "verify[5]"
    assert staged.state.autofix is not None
    assert (staged.state.autofix.applied, staged.state.verify.layer1_retries) == ("passed", 3)
    await after_verify(staged.work)
    assert staged.state.phase == "evaluate_ready"


async def test_a_patch_that_is_not_enough_leads_back_to_the_gate_without_another(staged: Staged, cast: Cast) -> None:
    await fixable(staged, cast, "-", "verify=autofix", "autofix=apply")
    staged.work.advance(test_cmd="false")
    await after_verify(staged.work)
    await verify(staged.work)
    assert staged.state.autofix is not None
    assert staged.state.autofix.applied == "stopped"
    with pytest.raises(Waiting) as waiting:
        await after_verify(staged.answered())
    assert [option.choice for option in waiting.value.question.options] == ["continue", "stop"]


@pytest.mark.parametrize(("sign", "answer", "applied"), [("-", "reject", "rejected"), ("*", "apply", "apply_failed")])
async def test_a_patch_that_is_not_applied_leads_back_to_the_gate(
    staged: Staged, cast: Cast, sign: str, answer: str, applied: str
) -> None:
    await fixable(staged, cast, sign, "verify=autofix", "verify=continue", f"autofix={answer}")
    await after_verify(staged.work)
    assert staged.state.autofix is not None
    assert (staged.state.phase, staged.state.autofix.applied) == ("evaluate_ready", applied)
    assert (staged.work.root / "calc.py").read_text() == WRONG


async def test_a_proposal_that_nobody_decided_about_is_asked_about_again(staged: Staged, cast: Cast) -> None:
    await fixable(staged, cast, "-", "verify=autofix")
    for _ in range(2):
        with pytest.raises(Waiting) as waiting:
            await after_verify(staged.work)
        assert waiting.value.question.gate == "autofix"
    assert len(cast.prompts("auto_fix_proposer")) == 1
