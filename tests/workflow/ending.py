"""A workflow whose work is done, at Step 8: code on its branch, all results on disk, and nothing committed yet."""

from pathlib import Path
from typing import Any

import msgspec

from onbook.workflow.files.artefacts import MARKER
from onbook.workflow.work import Work
from tests.workflow.staging import DOCS, Staged, git

BRANCH = "harness/add-a-sum"
MADE = tuple(f"{DOCS}{name}" for name in (MARKER, "spec.md", "changes.md", "verify_report.md", "qa_report.md"))
CODE = "def add(a, b):\n    return a + b\n"


async def completed(staged: Staged, *answers: str, **fields: Any) -> Work:
    """At `completed`, as the machine would have brought it there."""
    root = staged.work.root
    if (root / ".git/HEAD").is_file():
        set_up_git(root)
        fields = {"branch": BRANCH} | fields
    work = await staged.begun("generate_done", *answers, manifest=MADE, **fields)
    none = work.state.verify
    for phase in ("verify_ready", "verifying"):
        work.advance(phase=phase)
    work.advance(phase="verify_done", verify=msgspec.structs.replace(none, layer1_result="PASS"))
    for phase in ("evaluate_ready", "evaluating"):
        work.advance(phase=phase)
    passed = msgspec.structs.replace(none, layer1_result="PASS", layer2_result="PASS")
    work.advance(phase="evaluate_done", verify=passed)
    work.advance(phase="completed", outcome="passed")
    (root / "calc.py").write_text(CODE)
    for path in MADE:
        (root / path).write_text(f"{path}\n")
    return work


def set_up_git(root: Path) -> None:
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@example.org")
    git(root, "checkout", "-q", "-b", BRANCH)


def committed(root: Path) -> list[str]:
    """The files of the last commit."""
    return git(root, "show", "--format=", "--name-only", "HEAD").split()


def commits(root: Path) -> list[str]:
    """The subjects of all commits, the latest first."""
    return git(root, "log", "--format=%s").splitlines()
