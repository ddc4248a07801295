"""Seed 4, from a sentence to a commit, however it ends: each ending in each mode, by the command line, with real pytest
and ruff as onbook finds them in the project, and with edits of somebody who is in the middle of something else.

Most of the time goes to pytest. So among the ordinary tests the endings in which it runs four times and more are played
in one mode each, and a few in a folder without git; with `ONBOOK_FAULTS=1` (`make endings`) it is all of them.
"""

from collections import Counter

import pytest

from onbook.workflow.state.state import Mode
from tests.conftest import Finished
from tests.faults.ledger import LONG
from tests.workflow.endings.project import EDITS, THROUGH, Project
from tests.workflow.endings.project import begun_repository as begun_repository
from tests.workflow.endings.project import folder as folder
from tests.workflow.endings.project import project as project
from tests.workflow.endings.table import CASES, MAKER, MODES, PASSED, Case, Standing
from tests.workflow.whole import DOCS, TASK, TESTS

ROTATED = [(case, MODES[at % 3]) for at, case in enumerate(CASES)]
SOON_OVER = [(case, mode) for case in CASES for mode in MODES if len(case.makes) < 4]
MATRIX = [(case, mode) for case in CASES for mode in MODES if LONG or (case, mode) in [*ROTATED, *SOON_OVER]]
FOLDERS = ROTATED if LONG else ROTATED[2::4]
BEGIN = ("Begin", [".gitignore", "README.md", "pyproject.toml"])
REPORT = f"{DOCS}qa_report.md\n"


@pytest.mark.parametrize(("case", "mode"), MATRIX, ids=str)
def test_a_task_ends_as_it_should(project: Project, case: Case, mode: Mode) -> None:
    begun = begin(project, case, dirty="continue", mode=mode)
    assert begun.code == 4, begun.stderr
    assert standing(project, begun) == case.left
    ended = project.workflow("resume", **case.then, commit="code")
    assert (ended.code, ended.stdout) == (case.code, REPORT), ended.stderr
    check_said(case, begun.stderr + ended.stderr)
    check_sent(project, case, mode)
    assert project.commits == [(TASK, ["calc.py", "test_calc.py"]), BEGIN]
    assert project.edits_status == " M README.md\nA  draft.md\n?? notes.txt\n"
    check_left(project, case, [".workflow", "qa_report.md", "spec.md"])


@pytest.mark.parametrize(("case", "mode"), FOLDERS, ids=str)
def test_a_task_in_a_folder_without_git_ends_as_it_should(folder: Project, case: Case, mode: Mode) -> None:
    said, ended = "", begin(folder, case, mode=mode)
    if case.left.gate != "commit":
        assert ended.code == 4, ended.stderr
        assert standing(folder, ended) == case.left
        said, ended = ended.stderr, folder.workflow("resume", **case.then)
    assert (ended.code, ended.stdout) == (case.code, REPORT), ended.stderr
    check_said(case, said + ended.stderr)
    check_sent(folder, case, mode)
    check_left(folder, case, [".workflow", "changes.md", "qa_report.md", "spec.md", "verify_report.md"])


def begin(project: Project, case: Case, **answers: str) -> Finished:
    """The task's first command. It leaves the gate `commit` open, where there is one."""
    project.plays(case.makes, case.judged, case.proposed)
    return project.workflow(TASK, *case.flags, **THROUGH | case.answers | answers)


def standing(project: Project, waiting: Finished) -> Standing:
    """Where it waits or was stopped, and what its state says of how it got there."""
    state = project.state
    verify, fix = state.verify, state.autofix
    assert verify.layer1_result is not None
    gate = project.gate_left_open(waiting) or ("autofix" if fix and fix.applied == "halted" else "?")
    retries = (verify.layer1_retries, verify.layer2_retries)
    assert verify.autofix_attempted == (fix is not None)
    return Standing(gate, state.outcome, verify.layer1_result, retries, state.round, fix.applied if fix else None)


def check_said(case: Case, said: str) -> None:
    """Every line of the case, one after the other; and of a PASS not a word where there is none."""
    assert (PASSED in said) == (PASSED in case.said)
    at = 0
    for line in case.said:
        found = said.find(line, at)
        assert found >= 0, f"{line!r} is missing in:\n{said[at:]}"
        at = found + len(line)


def check_sent(project: Project, case: Case, mode: Mode) -> None:
    """Who was sent out, how often, and with what."""
    assert Counter(project.cast.order) == case.sent(mode)
    for who, before, words in case.told:
        assert words in project.cast.prompts(MAKER[mode] if who == "maker" else who)[before]


def check_left(project: Project, case: Case, results: list[str]) -> None:
    """The code as it should be, somebody's edits as they were, the results, and nothing else of the workflow."""
    files = {name: (project.root / name).read_text() for name in ("calc.py", "test_calc.py", *EDITS)}
    assert files == {"calc.py": case.calc, "test_calc.py": TESTS, **EDITS}
    assert sorted(path.name for path in (project.root / DOCS).iterdir()) == results
    assert not (project.root / ".harness").exists()
