"""Seed 4, the automatic fix: one proposal in a workflow, decided about by a person, applied whole or not at all."""

from pathlib import Path

import pytest

from onbook.workflow.gates import Answer, Question, Stopped, Waiting
from onbook.workflow.patches.diffs import read_diff
from onbook.workflow.patches.pre_apply import write_changes
from onbook.workflow.patches.trying import try_patch
from onbook.workflow.phases.autofix import PATCH, decide, propose
from onbook.workflow.state.rules import may_offer_autofix
from onbook.workflow.state.state import Applied, Autofix, ModelConfig, Verify
from onbook.workflow.work import Work
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, Staged
from tests.workflow.staging import cast as cast
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.staging import staged as staged
from tests.workflow.staging import typed as typed

WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = WRONG.replace("-", "+")
DIFF = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
SAID = "auto_fix_patch written — confidence: High — adds instead of subtracting"


def markdown(diff: str = DIFF) -> str:
    return f"## Summary\n\nThe sign is wrong.\n\n## Confidence\n\nHigh\n\n## Patch\n\n```diff\n{diff}```\n"


async def exhausted(staged: Staged, *answers: str, failing: str = "- calc.py\n", scopes: tuple[str, ...] = ()) -> Work:
    """The last retry has failed, and the report names these files."""
    work = await staged.begun("generate_done", *answers, scopes=scopes)
    (work.root / "calc.py").write_text(WRONG)
    (work.root / DOCS / "changes.md").write_text("- `calc.py`\n")
    (work.root / DOCS / "verify_report.md").write_text(f"# Verify report\n\n## Failing files\n\n{failing}")
    for retries in range(4):
        work.advance(phase="verify_ready", verify=Verify(layer1_retries=retries))
        work.advance(phase="verifying")
        work.advance(phase="verify_done", verify=Verify(layer1_result="FAIL", layer1_retries=retries))
        if retries < 3:
            work.advance(phase="generating", verify=Verify(layer1_result="FAIL", layer1_retries=retries + 1))
            work.advance(phase="generate_done")
    return work


def proposes(cast: Cast, text: str, said: str = SAID) -> None:
    cast.plays("auto_fix_proposer", Part(said, {PATCH: text}))


async def decided(staged: Staged, cast: Cast, text: str, *answers: str, scopes: tuple[str, ...] = ()) -> None:
    proposes(cast, text)
    work = await exhausted(staged, *answers, scopes=scopes)
    await propose(work)
    await decide(work)


def calc(staged: Staged) -> str:
    return (staged.work.root / "calc.py").read_text()


def fix(staged: Staged) -> tuple[Applied, bool]:
    """How far it is, and whether the attempt is used up: I1 ties the two together."""
    assert staged.state.autofix is not None
    return staged.state.autofix.applied, staged.state.verify.autofix_attempted


async def test_a_proposal_alone_uses_nothing_up_and_is_not_offered_again(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    work = await exhausted(staged)
    assert may_offer_autofix(work.state)
    await propose(work)
    assert fix(staged) == ("proposed", False)
    assert not may_offer_autofix(work.state)
    assert (staged.state.autofix or Autofix("", "halted", "")).last_patch_path == PATCH


async def test_the_proposer_is_given_paths_and_no_contents(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    await propose(await exhausted(staged))
    (prompt,) = cast.prompts("auto_fix_proposer")
    for path in ("spec.md", "changes.md", "verify_report.md"):
        assert DOCS + path in prompt
    assert "- calc.py" in prompt
    assert "return a - b" not in prompt


async def test_five_failing_files_are_named_and_bad_paths_left_out(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    listed = ["../secret", ".harness/state.json", *(f"file{number}.py" for number in range(7))]
    await propose(await exhausted(staged, failing="".join(f"- {path}\n" for path in listed)))
    (prompt,) = cast.prompts("auto_fix_proposer")
    assert [f"- file{number}.py" in prompt for number in range(7)] == [True] * 5 + [False] * 2
    assert staged.said[:2] == [
        "[harness] ⚠ Path validation failed: ../secret — excluded from Proposer input",
        "[harness] ⚠ Path validation failed: .harness/state.json — excluded from Proposer input",
    ]
    assert "secret" not in prompt


async def test_when_no_file_is_left_to_name_that_is_said(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    await propose(await exhausted(staged, failing=""))
    assert "[harness] ⚠ No valid file paths found — Proposer input will be empty" in staged.said


async def test_a_patch_is_shown_asked_about_and_applied(staged: Staged, cast: Cast) -> None:
    await decided(staged, cast, markdown(), "autofix=apply")
    assert staged.said == [
        DIFF.rstrip("\n"),
        "✓ confidence: High — The sign is wrong.",
        f"See: {PATCH}",
        "[harness] ℹ Auto-fix model: opus",
        "[harness] Applying patch to: calc.py",
    ]
    assert calc(staged) == RIGHT
    assert fix(staged) == ("applied", True)
    assert (staged.state.verify.layer1_result, staged.state.verify.layer1_retries) == (None, 3)


async def test_a_proposal_that_is_rejected_changes_nothing(staged: Staged, cast: Cast) -> None:
    await decided(staged, cast, markdown(), "autofix=reject")
    assert (fix(staged), calc(staged)) == (("rejected", True), WRONG)
    assert not may_offer_autofix(staged.work.state)


async def test_stopping_at_the_gate_halts_and_uses_the_attempt_up(staged: Staged, cast: Cast) -> None:
    with pytest.raises(Stopped):
        await decided(staged, cast, markdown(), "autofix=stop")
    assert (fix(staged), calc(staged)) == (("halted", True), WRONG)
    assert staged.state.phase == "verify_done"


async def test_without_an_answer_it_stays_proposed(staged: Staged, cast: Cast) -> None:
    with pytest.raises(Waiting) as waiting:
        await decided(staged, cast, markdown())
    assert fix(staged) == ("proposed", False)
    assert waiting.value.question.text == "Proposed fix generated (confidence: High). Apply the patch?"


@pytest.mark.parametrize("text", ["No fix found.\n", "```diff\n```\n", "```python\n@@ -1 +1 @@\n```\n"])
async def test_an_empty_patch_is_not_asked_about_and_uses_the_attempt_up(staged: Staged, cast: Cast, text: str) -> None:
    await decided(staged, cast, text)
    assert staged.said[-1] == "[harness] ⚠ Patch file is empty or has no diff block — apply skipped"
    assert fix(staged) == ("apply_failed", True)


async def test_a_patch_that_was_cut_off_is_not_asked_about(staged: Staged, cast: Cast) -> None:
    await decided(staged, cast, markdown().rstrip("`\n"))
    assert staged.said[-1] == (
        "Apply failed — reverted to pre-apply state.\nThe patch has a diff block that is not closed."
    )
    assert fix(staged) == ("apply_failed", True)


@pytest.mark.parametrize("path", ["../../etc/passwd", ".git/hooks/pre-commit", f"{DOCS}spec.md", "other.py"])
async def test_a_patch_with_a_path_that_must_not_be_touched_is_rejected_whole(
    staged: Staged, cast: Cast, path: str
) -> None:
    evil = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+evil\n"
    await decided(staged, cast, markdown(DIFF + evil), "autofix=apply", scopes=("calc.py",))
    assert staged.said[-1] == f"[harness] ✗ Diff path validation failed: {path}"
    assert (fix(staged), calc(staged)) == (("apply_failed", True), WRONG)


async def test_a_hunk_that_does_not_fit_leaves_every_file_as_it_was(staged: Staged, cast: Cast) -> None:
    new = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n"
    await decided(staged, cast, markdown(new + DIFF.replace("a - b", "a / b")), "autofix=apply")
    assert staged.said[-2:] == [
        "[harness] Applying patch to: new.py, calc.py",
        "Apply failed — reverted to pre-apply state.\nThe patch does not fit: hunk 1 of 1 of calc.py.",
    ]
    assert (fix(staged), calc(staged)) == (("apply_failed", True), WRONG)
    assert not (staged.work.root / "new.py").exists()


async def test_a_proposer_that_never_came_back_is_sent_out_again(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    work = await exhausted(staged, "autofix=apply")
    (work.root / PATCH).parent.mkdir(parents=True, exist_ok=True)
    (work.root / PATCH).write_text(markdown().replace("+ b\n", "* b\n"))  # of an earlier round
    work.advance(autofix=Autofix(PATCH, "proposed", "2026-05-20T15:00:00Z", 1))
    await decide(work)
    assert len(cast.prompts("auto_fix_proposer")) == 1
    assert calc(staged) == RIGHT


async def test_what_an_interrupted_application_wrote_is_put_back_before_anybody_is_asked(
    staged: Staged, cast: Cast
) -> None:
    proposes(cast, markdown())
    work = await exhausted(staged, "autofix=reject")
    await propose(work)
    door = work.live.door
    await write_changes(door, await try_patch(door, read_diff(DIFF.encode()), ["calc.py"]))
    assert calc(staged) == RIGHT
    await decide(work)
    assert (fix(staged), calc(staged)) == (("rejected", True), WRONG)


@pytest.mark.parametrize(
    ("said", "question", "line"),
    [
        (
            "auto_fix_patch written — confidence: Low — a guess",
            "Proposed fix generated (confidence: Low). ⚠ Low confidence — review the diff carefully before applying. "
            "Apply the patch?",
            "✓ confidence: Low — The sign is wrong.",
        ),
        (
            "auto_fix_patch written — it should work",
            "Proposed fix generated (confidence: Unknown). Apply the patch?",
            "[harness] ⚠ 1-line return parse failed — fallback: confidence Unknown",
        ),
        (
            "I did it!",
            "Proposed fix generated (confidence: Unknown). Apply the patch?",
            "[harness] ⚠ 1-line return parse failed — fallback: confidence Unknown",
        ),
    ],
    ids=["low", "none", "another-form"],
)
async def test_how_sure_the_proposer_is_stands_in_the_question(
    staged: Staged, cast: Cast, said: str, question: str, line: str
) -> None:
    proposes(cast, markdown(), said)
    work = await exhausted(staged)
    await propose(work)
    with pytest.raises(Waiting) as waiting:
        await decide(work)
    assert waiting.value.question.text == question
    assert staged.said.count(line) == 1


async def test_the_model_that_was_asked_is_named(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    work = await exhausted(staged)
    work.advance(model_config=ModelConfig("economy", "haiku", "sonnet", "sonnet"))
    await propose(work)
    with pytest.raises(Waiting):
        await decide(work)
    assert staged.said[-2] == "[harness] ℹ Auto-fix model: sonnet"


class Meddler:
    """Says yes, and changes the patch while everybody waits for that."""

    def __init__(self, patch: Path) -> None:
        self.patch = patch

    async def ask(self, question: Question) -> Answer:
        self.patch.write_text(markdown(DIFF.replace("+ b", "* b")))
        return Answer("apply")


async def test_the_patch_that_was_shown_is_the_one_that_is_applied(staged: Staged, cast: Cast) -> None:
    proposes(cast, markdown())
    work = await exhausted(staged)
    await propose(work)
    await decide(Work(work.live, work.run, work.store, Meddler(work.root / PATCH), work.agents, work.words))
    assert calc(staged) == RIGHT
