"""After a workflow: what it leaves is nobody's edit to be asked about, and nothing that the next one writes over."""

from onbook.outcome import Outcome
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.staging import typed as typed
from tests.workflow.whole import DOCS, RIGHT, TASK, WRONG, Whole, play
from tests.workflow.whole import whole as whole

SECOND = "docs/harness/add-a-sum-2/"


async def test_another_task_is_not_asked_about_what_the_first_one_left(whole: Whole) -> None:
    assert await whole(TASK, commit="code") is Outcome.PASSED
    assert f"?? {DOCS}" in git(whole.root, "status", "--short", "-uall")
    play(whole.cast, "docs/harness/document-it/")
    assert await whole("Document it", commit="code") is Outcome.PASSED


async def test_the_same_task_again_leaves_the_first_results_alone(whole: Whole) -> None:
    assert await whole(TASK, commit="code") is Outcome.PASSED
    kept = {name: (whole.root / DOCS / name).read_bytes() for name in ("spec.md", "qa_report.md")}
    play(whole.cast, SECOND, RIGHT + "\n\nAGAIN = 1\n")
    assert await whole(TASK, commit="code") is Outcome.PASSED
    assert {name: (whole.root / DOCS / name).read_bytes() for name in kept} == kept
    assert whole.finished.text == f"{SECOND}qa_report.md\n"


async def test_what_a_given_up_workflow_made_is_left_alone_too(whole: Whole) -> None:
    await whole(TASK, spec="")
    await whole("discard")
    play(whole.cast, SECOND)
    assert await whole(TASK, spec="") is Outcome.WAITING
    assert whole.state.docs_path == SECOND
    assert (whole.root / DOCS / "spec.md").is_file()


async def test_a_restart_begins_in_the_same_folder(whole: Whole) -> None:
    await whole(TASK, spec="")
    assert await whole(TASK, session="restart", dirty="continue", spec="") is Outcome.WAITING
    assert whole.state.docs_path == DOCS


async def test_a_finished_report_is_not_replaced_by_a_spec_that_is_taken_again(whole: Whole) -> None:
    assert await whole(TASK, commit="code") is Outcome.PASSED
    assert await whole.typed(f"/workflow --from-spec {DOCS}") is Outcome.USAGE
    assert whole.typed.error.endswith("qa_report.md is there already and would be replaced; move it away first")


async def test_a_pass_over_failed_checks_is_said_at_the_verdict_at_the_end_and_in_the_report(whole: Whole) -> None:
    whole.plays(WRONG)
    assert await whole(TASK, verify="continue") is Outcome.PASSED
    warning = "[harness] ⚠ QA says PASS although Layer 1 has failed: FAIL — add(1, 2) is not 3"
    assert whole.said.count(warning) == 2
    assert whole.said[whole.said.index(warning) - 1] == "[harness] ✓ QA PASS — task complete."
    assert whole.said.index("[harness] Deleting: .harness/") < len(whole.said) - whole.said[::-1].index(warning)
    report = (whole.root / DOCS / "qa_report.md").read_text()
    assert report.endswith(f"\n\n> {warning}\n")


async def test_a_pass_of_both_has_no_warning(whole: Whole) -> None:
    assert await whole(TASK) is Outcome.PASSED
    assert not any("although" in line for line in whole.said)
    assert "⚠" not in (whole.root / DOCS / "qa_report.md").read_text()


async def test_clearing_up_is_on_record_where_something_was_deleted(whole: Whole) -> None:
    await whole(TASK, commit="code")
    record = whole.typed.live.record.path
    assert record is not None
    before = record.read_text()
    await whole.typed("/workflow clean --answer clean=yes")
    added = record.read_text().removeprefix(before)
    assert "clears up after a workflow." in added
    assert "INT. WORKFLOW GATE CLEAN" in added
    await whole.typed("/workflow clean")
    assert record.read_text() == before + added
