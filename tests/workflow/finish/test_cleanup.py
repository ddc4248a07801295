"""Seed 4, Step 8: commit first, then clean; what is deleted, what stays, and what a kill in between leaves."""

from pathlib import Path

import pytest

from onbook.outcome import OnbookError, UsageError
from onbook.workflow.answers import Gates, GivenAnswers
from onbook.workflow.finish import cleanup
from onbook.workflow.finish.cleanup import finish
from onbook.workflow.finish.clearing import clean, discard
from onbook.workflow.finish.git import Commits
from onbook.workflow.gates import Waiting
from onbook.workflow.messages import catalogue
from onbook.workflow.state.recovery import go_on
from onbook.workflow.state.store import NoWorkflow, Store
from onbook.workspace.errors import WorkspaceError
from tests.workflow.ending import BRANCH, MADE, commits, committed, completed
from tests.workflow.staging import DOCS, RUN, Staged, git
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed


def left(root: Path) -> list[str]:
    """What lies in the folder of results."""
    return sorted(path.name for path in (root / DOCS).iterdir())


async def test_the_question_is_the_seeds(staged: Staged) -> None:
    with pytest.raises(Waiting) as waiting:
        await finish(await completed(staged))
    question = waiting.value.question
    assert (question.header, question.text) == ("Commit", "Implementation complete. Choose how to finish:")
    assert [(option.label, option.description) for option in question.options] == [
        ("Commit code only (Recommended)", "Clean artifacts, commit code changes only"),
        ("Commit all", "Commit everything including artifacts"),
        ("No commit", "Clean .harness/ only, keep changes in working tree"),
    ]


async def test_commit_code_only_keeps_spec_and_report_on_disk(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    await finish(work)
    assert committed(work.root) == ["calc.py"]
    assert left(work.root) == [".workflow", "qa_report.md", "spec.md"]
    assert not (work.root / ".harness").exists()
    assert staged.said[-4:] == [
        f"[harness] Deleting: {DOCS}changes.md, {DOCS}verify_report.md",
        "[harness] Deleting: .harness/",
        f"[harness] Artifacts are in {DOCS}",
        f"[harness] Branch {BRANCH}: 1 file changed, 2 insertions(+). Merge: git switch - && git merge {BRANCH}"
        f" · Drop: git switch - && git branch -D {BRANCH}",
    ]


async def test_the_last_line_can_be_typed_as_it_is(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    await finish(work)
    git(work.root, "switch", "-")
    git(work.root, "merge", BRANCH)
    assert commits(work.root) == ["Add a sum", "Begin"]


async def test_commit_all_leaves_the_results_and_nothing_of_ours(staged: Staged) -> None:
    work = await completed(staged, "commit=all")
    await finish(work)
    assert left(work.root) == ["changes.md", "qa_report.md", "spec.md", "verify_report.md"]
    assert git(work.root, "status", "--porcelain") == ""


async def test_no_commit_cleans_nothing_but_the_harness(staged: Staged) -> None:
    work = await completed(staged, "commit=none")
    await finish(work)
    assert commits(work.root) == ["Begin"]
    assert (work.root / "calc.py").exists()
    assert len(left(work.root)) == len(MADE)
    assert not (work.root / ".harness").exists()
    assert staged.said[-1] == f"[harness] Branch {BRANCH}: changes are in the working tree, not committed"


async def test_without_git_the_results_stay_and_nobody_is_asked(staged: Staged) -> None:
    work = await completed(staged, has_git=False, branch="")
    await finish(work)
    assert len(left(work.root)) == len(MADE)
    assert not (work.root / ".harness").exists()
    assert staged.said[-1] == f"[harness] Artifacts are in {DOCS}"


async def test_a_workflow_that_changed_nothing_says_so(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    (work.root / "calc.py").unlink()
    await finish(work)
    assert commits(work.root) == ["Begin"]
    assert staged.said[-1] == f"[harness] Branch {BRANCH}: nothing to commit"


async def test_only_files_of_the_manifest_are_deleted(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    for name in ("notes.txt", "qa_notes.md"):
        work.path(name).write_text("not ours")
    await finish(work)
    assert left(work.root) == [".workflow", "notes.txt", "qa_notes.md", "qa_report.md", "spec.md"]


async def test_a_folder_that_leads_elsewhere_stops_everything(staged: Staged, tmp_path: Path) -> None:
    work = await completed(staged, "commit=code")
    folder = work.root / DOCS
    elsewhere = folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(elsewhere)
    with pytest.raises(OnbookError, match="nothing was committed, and nothing deleted"):
        await finish(work)
    assert staged.said[-1] == f"[harness] ⚠ Recovered docs_path failed validation: {DOCS}"
    assert commits(work.root) == ["Begin"]
    assert len(list(elsewhere.iterdir())) == len(MADE)


async def test_killed_at_every_step_it_is_gone_on_with_to_the_same_end_and_nobody_is_asked_again(
    staged: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = await completed(staged, "commit=code")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    for step in ("_commit", "_delete", "_say_last", "empty_harness"):
        with monkeypatch.context() as patched:
            patched.setattr(cleanup, step, killed)
            with pytest.raises(KeyboardInterrupt):
                await finish(work)
        assert (work.root / ".harness/state.json").exists()
        work = staged.answered()
    with pytest.raises(NoWorkflow):
        await go_on(staged.store, work.words, work.say, Commits(work.live.door).is_here)
    assert commits(work.root) == ["Add a sum", "Begin"]
    assert left(work.root) == [".workflow", "qa_report.md", "spec.md"]
    assert not (work.root / ".harness").exists()


async def test_a_file_that_cannot_be_deleted_is_named_and_all_can_be_tried_again(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    work.path("changes.md").unlink()
    work.path("changes.md").mkdir()
    with pytest.raises(WorkspaceError, match=f"cannot delete {DOCS}changes.md"):
        await finish(work)
    work.path("changes.md").rmdir()
    await finish(work)
    assert commits(work.root) == ["Add a sum", "Begin"]


async def test_discard_deletes_the_state_and_nothing_that_was_made(staged: Staged) -> None:
    work = await completed(staged)
    said: list[str] = []
    discard(staged.store, work.words, said.append)
    assert not (work.root / ".harness").exists()
    assert (work.root / "calc.py").exists()
    assert len(left(work.root)) == len(MADE)
    assert said == [
        "[harness] Discarded: .harness/",
        f"[harness] Artifacts are in {DOCS}",
        f"[harness] Branch {BRANCH}: changes are in the working tree, not committed",
    ]


def test_discard_has_nothing_to_do_where_nothing_was_begun(workspace: Path) -> None:
    with Store.open(workspace) as store, pytest.raises(NoWorkflow):
        discard(store, catalogue("en"), print)


def test_discard_leaves_another_skills_session_alone(workspace: Path) -> None:
    (workspace / ".harness").mkdir()
    (workspace / ".harness/state.json").write_text('{"skill": "spec", "version": "2.0"}')
    with Store.open(workspace) as store, pytest.raises(UsageError, match="/spec skill session is active"):
        discard(store, catalogue("en"), print)
    assert (workspace / ".harness/state.json").exists()


class Cleaning:
    """`clean` in a workspace with results of two workflows, of somebody else and of `/memory`."""

    def __init__(self, staged: Staged) -> None:
        self.staged = staged
        self.said: list[str] = []
        self.base = staged.work.root / "docs/harness"
        for name in ("one/.workflow", "one/spec.md", "two/.workflow", "other/spec.md", "memory/knowledge.md"):
            (self.base / name).parent.mkdir(parents=True, exist_ok=True)
            (self.base / name).write_text(name)

    async def __call__(self, answer: str, *, everything: bool = False) -> bool:
        live = self.staged.typed.live
        gates = Gates(live.emit, RUN, GivenAnswers([("clean", answer)] if answer else []), None)
        words = catalogue("en")
        return await clean(self.staged.store, gates, words, self.said.append, Commits(live.door), everything=everything)

    @property
    def left(self) -> list[str]:
        return sorted(path.name for path in self.base.iterdir())


@pytest.fixture
def cleaning(staged: Staged) -> Cleaning:
    return Cleaning(staged)


async def test_clean_deletes_results_of_workflows_after_listing_them(cleaning: Cleaning) -> None:
    assert await cleaning("yes")
    assert cleaning.left == ["memory", "other"]
    assert cleaning.said == [
        "docs/harness/one/ (2 files)",
        "docs/harness/two/ (1 files)",
        "[harness] Deleting: docs/harness/one/",
        "[harness] Deleting: docs/harness/two/",
    ]


async def test_clean_all_takes_everything_and_warns_of_memory(cleaning: Cleaning) -> None:
    (cleaning.staged.work.root / ".git/info/exclude").write_text("docs/\n")
    assert await cleaning("yes", everything=True)
    assert not cleaning.base.exists()
    assert cleaning.said[:6] == [
        "docs/harness/memory/ (1 files)",
        "Contains team knowledge from /memory skill.",
        "docs/harness/one/ (2 files)",
        "docs/harness/other/ (1 files)",
        "docs/harness/two/ (1 files)",
        "`docs/harness/` is git-ignored — all artifacts permanently deleted.",
    ]


async def test_clean_deletes_nothing_without_a_yes(cleaning: Cleaning) -> None:
    with pytest.raises(Waiting) as waiting:
        await cleaning("")
    assert waiting.value.question.gate == "clean"
    assert not await cleaning("no", everything=True)
    assert len(cleaning.left) == 4


async def test_clean_follows_no_links(cleaning: Cleaning, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/.workflow").write_text("x")
    (cleaning.base / "link").symlink_to(tmp_path / "precious")
    (cleaning.base / "one/link").symlink_to(tmp_path / "precious")
    assert await cleaning("yes", everything=True)
    assert (tmp_path / "precious/.workflow").exists()


async def test_clean_has_nothing_to_do_where_there_is_nothing(cleaning: Cleaning) -> None:
    await cleaning("yes", everything=True)
    cleaning.said.clear()
    assert not await cleaning("")
    assert cleaning.said == ["[harness] Nothing to clean in docs/harness/"]


async def test_clean_waits_until_the_workflow_is_over(cleaning: Cleaning) -> None:
    await cleaning.staged.begun()
    with pytest.raises(UsageError, match="a workflow is under way here"):
        await cleaning("yes")
