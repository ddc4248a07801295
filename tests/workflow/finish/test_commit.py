"""Seed 4, Step 8, the commit: what goes into it, what never does, and what is left when git will not."""

import asyncio
from pathlib import Path

import pytest

from onbook.workflow.finish.cleanup import finish
from onbook.workflow.finish.commit import CommitFailed, commit_changes, commit_message
from onbook.workflow.gates import Waiting
from tests.workflow.ending import BRANCH, CODE, MADE, commits, committed, completed
from tests.workflow.staging import DOCS, Staged, git
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed


def hook(root: Path, script: str) -> None:
    path = root / ".git/hooks/pre-commit"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


async def test_the_code_is_committed_and_the_results_are_not(staged: Staged) -> None:
    await commit_changes(await completed(staged), "code")
    root = staged.work.root
    assert committed(root) == ["calc.py"]
    assert commits(root) == ["Add a sum", "Begin"]
    assert git(root, "show", "HEAD:calc.py") == CODE


async def test_what_spec_found_out_is_committed_with_the_code(staged: Staged) -> None:
    work = await completed(staged)
    for name in ("qa_notes.md", "conventions.md"):
        work.path(name).write_text(name)
    await commit_changes(work, "code")
    assert committed(work.root) == ["calc.py", f"{DOCS}conventions.md", f"{DOCS}qa_notes.md"]


async def test_commit_all_takes_the_results_along_and_not_our_marker(staged: Staged) -> None:
    work = await completed(staged)
    await commit_changes(work, "all")
    assert committed(work.root) == ["calc.py", *sorted(MADE[1:])]


async def test_changed_and_deleted_files_are_committed_too(staged: Staged) -> None:
    work = await completed(staged)
    (work.root / "README.md").unlink()
    (work.root / ".gitignore").write_text("*.log\n")
    await commit_changes(work, "code")
    assert committed(work.root) == [".gitignore", "README.md", "calc.py"]
    assert git(work.root, "status", "--porcelain", "--", "README.md", ".gitignore") == ""


async def test_edits_from_before_are_never_committed_and_that_is_said(staged: Staged) -> None:
    root = staged.work.root
    (root / "README.md").write_text("Mine, half done.\n")
    work = await completed(staged, edits_before=("README.md",))
    (root / "README.md").write_text("Mine, half done. And a line of the generator's.\n")
    await commit_changes(work, "all")
    assert "README.md" not in committed(root)
    assert git(root, "status", "--porcelain", "--", "README.md") == " M README.md\n"
    assert staged.said[-1] == "[harness] ⚠ README.md was edited before the workflow began and is not committed"


async def test_what_lies_outside_the_scope_is_not_committed_and_that_is_said(staged: Staged) -> None:
    work = await completed(staged, scopes=("calc.py",))
    (work.root / "stray.py").write_text("A program wrote past the door.\n")
    await commit_changes(work, "code")
    assert committed(work.root) == ["calc.py"]
    assert "[harness] ⚠ stray.py lies outside the scope and is not committed" in staged.said


async def test_what_somebody_staged_before_stays_staged(staged: Staged) -> None:
    root = staged.work.root
    (root / "README.md").write_text("Mine.\n")
    git(root, "add", "README.md")
    await commit_changes(await completed(staged, edits_before=("README.md",)), "code")
    assert committed(root) == ["calc.py"]
    assert git(root, "status", "--porcelain", "--", "README.md") == "M  README.md\n"


async def test_what_tools_leave_behind_is_no_code(staged: Staged) -> None:
    root = staged.work.root
    (root / ".gitignore").write_text("")
    git(root, "commit", "-qam", "Ignore nothing")
    work = await completed(staged)
    (root / "__pycache__").mkdir()
    (root / "__pycache__/calc.pyc").write_bytes(b"\0")
    await commit_changes(work, "code")
    assert committed(root) == ["calc.py"]


async def test_ignored_files_are_added_only_with_consent(staged: Staged) -> None:
    work = await completed(staged)
    (work.root / ".git/info/exclude").write_text("docs/\nlocal.py\n")
    (work.root / "local.py").write_text("PORT = 1\n")
    work.path("changes.md").write_text("- `local.py` — the port\n- `calc.py` — the sum\n")
    work.path("qa_notes.md").write_text("notes")
    with pytest.raises(Waiting) as waiting:
        await commit_changes(work, "code")
    ignored = f"{DOCS}qa_notes.md, local.py"
    assert waiting.value.question.text == f"git ignores {ignored}. Add them to the commit all the same?"
    assert commits(work.root) == ["Begin"]
    await commit_changes(staged.answered("ignored=add"), "code")
    assert committed(work.root) == ["calc.py", f"{DOCS}qa_notes.md", "local.py"]


async def test_without_consent_the_commit_goes_on_without_them(staged: Staged) -> None:
    work = await completed(staged, "ignored=skip")
    (work.root / ".git/info/exclude").write_text("docs/\n")
    await commit_changes(work, "all")
    assert committed(work.root) == ["calc.py"]
    assert work.path("spec.md").exists()


async def test_a_secret_that_changes_md_names_is_not_even_offered(staged: Staged) -> None:
    work = await completed(staged)
    (work.root / ".git/info/exclude").write_text(".env\n")
    (work.root / ".env").write_text("KEY=1\n")
    work.path("changes.md").write_text("- `.env` — the key\n")
    await commit_changes(work, "code")
    assert committed(work.root) == ["calc.py"]


async def test_committing_again_after_a_kill_makes_no_second_commit(staged: Staged) -> None:
    work = await completed(staged)
    await commit_changes(work, "code")
    await commit_changes(work, "code")
    assert commits(work.root) == ["Add a sum", "Begin"]


async def test_a_kill_between_adding_and_committing_does_no_harm(staged: Staged) -> None:
    work = await completed(staged)
    git(work.root, "add", "--intent-to-add", "calc.py")
    await commit_changes(work, "code")
    assert committed(work.root) == ["calc.py"]


async def test_a_commit_that_fails_leaves_everything_and_can_be_tried_again(staged: Staged) -> None:
    work = await completed(staged, "commit=code")
    hook(work.root, "echo 'calc.py: no tests'; exit 1")
    before = git(work.root, "status", "--porcelain")
    with pytest.raises(CommitFailed, match="nothing was committed"):
        await finish(work)
    assert staged.said[-1] == "[harness] ⚠ Commit failed: calc.py: no tests. Everything is left as it is"
    assert git(work.root, "status", "--porcelain") == before
    assert all((work.root / path).exists() for path in (*MADE, ".harness/state.json"))
    assert (staged.state.finish, staged.state.finalized) == (None, False)
    hook(work.root, "exit 0")
    await finish(work)
    assert committed(work.root) == ["calc.py"]


async def test_nothing_is_committed_to_another_branch(staged: Staged) -> None:
    work = await completed(staged)
    git(work.root, "checkout", "-q", "-")
    with pytest.raises(CommitFailed, match=f"git switch {BRANCH}"):
        await commit_changes(work, "code")
    assert commits(work.root) == ["Begin"]


async def test_a_document_that_cannot_be_staged_is_missed_and_the_code_goes_in(staged: Staged) -> None:
    work = await completed(staged)
    work.path("qa_notes.md").write_bytes(b"x\r\n")
    git(work.root, "config", "core.safecrlf", "true")
    git(work.root, "config", "core.autocrlf", "input")
    await commit_changes(work, "code")
    assert committed(work.root) == ["calc.py"]
    assert staged.said[-1].startswith(f"Failed to stage {DOCS}qa_notes.md: CRLF would be replaced by LF")
    assert staged.said[-1].endswith("Spec artifact may not be in git history.")


async def test_names_are_taken_literally(staged: Staged) -> None:
    work = await completed(staged)
    for name in ("*.py", ":(top)x", "naïve name.txt"):
        (work.root / name).write_text("x")
    (work.root / "calc.py").unlink()
    await commit_changes(work, "code")
    shown = git(work.root, "show", "-z", "--format=", "--name-only", "HEAD").strip("\0").split("\0")
    assert shown == ["*.py", ":(top)x", "naïve name.txt"]


async def test_the_first_commit_of_a_repository_can_be_a_workflows(staged: Staged) -> None:
    root = staged.work.root
    git(root, "checkout", "-q", "--orphan", "none")
    git(root, "rm", "-q", "-r", "--cached", ".")
    work = await completed(staged, base_commit=None, has_git=True, edits_before=(".gitignore", "README.md"))
    await commit_changes(work, "code")
    assert (commits(root), committed(root)) == (["Add a sum"], ["calc.py"])


def test_a_long_task_is_the_body_and_its_beginning_the_subject() -> None:
    task = "Add a sum\n\nand " + "more " * 20
    subject, body = commit_message(task)
    assert (len(subject), subject[:13], subject[-1], body) == (72, "Add a sum and", "…", task.strip())
    assert commit_message(" Add\ta sum\n") == ("Add a sum", "")


async def test_ctrl_c_while_a_hook_runs_ends_it(staged: Staged) -> None:
    work = await completed(staged)
    hook(work.root, "touch begun; exec sleep 30")
    committing = asyncio.create_task(commit_changes(work, "code"))
    while not (work.root / "begun").exists():
        await asyncio.sleep(0.01)
    committing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await committing
    assert commits(work.root) == ["Begin"]
