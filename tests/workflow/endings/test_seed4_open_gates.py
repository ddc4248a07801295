"""Seed 4, every gate left open: the command shows its question and ends with 4; a resume with the answer goes on."""

import json
from collections import Counter
from dataclasses import dataclass

import pytest

from onbook.workflow.gates import CHOICES, GateName
from onbook.workflow.state.state import Mode
from tests.conftest import Finished
from tests.faults.ledger import LONG
from tests.workflow.cast import Part
from tests.workflow.endings.project import EDITS, THROUGH, Project
from tests.workflow.endings.project import begun_repository as begun_repository
from tests.workflow.endings.project import folder as folder
from tests.workflow.endings.project import project as project
from tests.workflow.endings.table import ADVISED, EVALUATOR, FENCED, MAKER, PLANNERS
from tests.workflow.whole import DOCS, RIGHT, SPEC, TASK, TESTS, WRONG

pytestmark = pytest.mark.timeout(300)
STOPPED = "[harness] Stopped. Nothing is lost: go on with onbook workflow resume"


@dataclass(frozen=True)
class Crossing:
    """A gate on the way, what is asked there, and what is answered in the end."""

    gate: GateName
    asked: str
    choice: str

    @property
    def may_stop(self) -> bool:
        """Whether it can be stopped here and is asked again; a fix that was stopped is halted, an ending of its own."""
        return "stop" in CHOICES[self.gate] and self.gate != "autofix"


WAY = (
    Crossing("dirty", "uncommitted changes (3): README.md, draft.md, notes.txt", "continue"),
    Crossing("mode", "Select workflow mode:", ""),
    Crossing("model", "Select model configuration for sub-agents:", "default"),
    Crossing("conventions", "No rich AGENTS.md / CLAUDE.md / HARVEY.md found.", "scan"),
    Crossing("scan-failed", "Output file missing. Retry or skip?", "retry"),
    Crossing("artefact", f"did not write {DOCS}spec.md in 3 tries.", "retry"),
    Crossing("spec", "Review the spec above.", "proceed"),
    Crossing("verify", "Mechanical verification failed after 3 retries. FAIL — Test: FAILED", "autofix"),
    Crossing("autofix", "Proposed fix generated (confidence: High). Apply the patch?", "apply"),
    Crossing("qa", "QA result: FAIL (Layer 3). name the arguments (FAIL L3).", "fix"),
    Crossing("rounds", "QA result: FAIL in the last round (2/2). name the arguments (FAIL L3)", "accept"),
    Crossing("commit", "Implementation complete. Choose how to finish:", "code"),
    Crossing("ignored", "git ignores made.txt. Add them to the commit all the same?", "add"),
)
IN_SETUP = ("dirty", "mode", "model")
"""Setup is one: whoever goes on in the middle of it answers from its beginning."""
OF_GIT = ("dirty", "commit", "ignored")
NOTHING = Part("written — or so I say")


@pytest.mark.parametrize("mode", ["single", "standard", "multi"] if LONG else ["single"])
def test_left_open_at_every_gate_it_goes_on_there_and_does_nothing_twice(project: Project, mode: Mode) -> None:
    ended = cross(project, WAY, mode)
    assert (ended.code, ended.stdout) == (3, f"{DOCS}qa_report.md\n"), ended.stderr
    check_sent(project, mode)
    assert project.commits[0] == (TASK, ["calc.py", "made.txt", "test_calc.py"])
    assert project.edits_status == " M README.md\nA  draft.md\n?? notes.txt\n"
    check_left(project)


def test_without_git_it_is_left_open_at_every_gate_that_there_is(folder: Project) -> None:
    ended = cross(folder, tuple(each for each in WAY if each.gate not in OF_GIT), "standard")
    assert (ended.code, ended.stdout) == (3, f"{DOCS}qa_report.md\n"), ended.stderr
    check_sent(folder, "standard")
    check_left(folder)


def test_a_session_of_another_skill_is_left_alone_until_somebody_says_so(project: Project) -> None:
    state = project.root / ".harness/state.json"
    state.parent.mkdir()
    state.write_text(json.dumps({"skill": "spec"}))
    check_open(project, project.workflow(TASK), "conflict", "A /spec session exists. Delete it and start /workflow?")
    assert project.workflow(TASK, conflict="cancel").code == 4
    assert json.loads(state.read_text()) == {"skill": "spec"}
    check_open(project, project.workflow(TASK, conflict="discard"), "dirty", "README.md")
    assert project.state.task == TASK


@pytest.mark.parametrize(
    ("choice", "code", "gate", "task"),
    [
        ("resume", 4, "spec", TASK),
        ("restart", 4, "mode", "Add a product"),
        ("stop", 4, None, TASK),
        ("discard", 0, None, None),
    ],
)
def test_a_new_task_asks_what_becomes_of_the_one_before(
    project: Project, choice: str, code: int, gate: str | None, task: str | None
) -> None:
    assert project.workflow(TASK, **THROUGH | {"dirty": "continue", "mode": "single", "spec": "stop"}).code == 4
    check_open(project, project.workflow("Add a product"), "session", "[harness] Previous session detected.")
    ended = project.workflow("Add a product", session=choice, dirty="continue")
    assert (ended.code, project.gate_left_open(ended)) == (code, gate)
    assert (project.state.task if (project.root / ".harness").exists() else None) == task


def test_results_are_cleaned_up_only_if_somebody_says_so(project: Project) -> None:
    project.workflow(TASK, **THROUGH | {"dirty": "continue", "mode": "single", "spec": "stop"})
    assert project.workflow("discard").code == 0
    check_open(project, project.workflow("clean"), "clean", f"Delete {DOCS.rstrip('/')}")
    assert project.workflow("clean", clean="no").code == 0
    assert (project.root / DOCS / "spec.md").read_text() == SPEC
    assert project.workflow("clean", clean="yes").code == 0
    assert not (project.root / DOCS).exists()


def cross(project: Project, way: tuple[Crossing, ...], mode: Mode) -> Finished:
    """One command for each gate, and one more where it can be stopped; gives the last."""
    set_stage(project, mode)
    waiting, known = project.workflow(TASK, "--max-rounds=2"), dict[str, str]()
    for each in way:
        check_open(project, waiting, each.gate, each.asked)
        if each.may_stop:
            stopped = project.workflow("resume", **known | {each.gate: "stop"})
            assert (stopped.code, STOPPED in stopped.stderr) == (4, True), stopped.stderr
        answers = known | {each.gate: each.choice or mode}
        waiting = project.workflow("resume", **answers)
        known = answers if each.gate in IN_SETUP else {}
    return waiting


def set_stage(project: Project, mode: Mode) -> None:
    """A cast that has something to be asked about at every gate."""
    project.plays([WRONG] * 4, ["FAIL L3"], FENCED)
    wrong, right = (Part("changed — 3 files", files(code)) for code in (WRONG, RIGHT))
    project.cast.plays(MAKER[mode], *[wrong] * 4, right)
    scanned = Part("conventions written — few", {".harness/conventions.md": "Short names.\n"})
    project.cast.plays("convention_scanner", *[NOTHING] * 6, scanned)
    planned = Part("spec generated — one function", {f"{DOCS}spec.md": SPEC})
    project.cast.plays(PLANNERS[mode][-1], *[NOTHING] * 9, planned)


def files(code: str) -> dict[str, str]:
    """What the generator writes; git ignores one of them."""
    named = "".join(f"- `{name}`\n" for name in ("calc.py", "test_calc.py", "made.txt"))
    return {"calc.py": code, "test_calc.py": TESTS, "made.txt": "made\n", f"{DOCS}changes.md": named}


def check_open(project: Project, waiting: Finished, gate: GateName, asked: str) -> None:
    """It has shown the whole question, has said how to answer it, and has ended with 4."""
    assert (waiting.code, project.gate_left_open(waiting)) == (4, gate), waiting.stderr
    assert asked in waiting.stderr
    for choice in CHOICES[gate]:
        assert f"--answer {gate}={choice} " in waiting.stderr


def check_sent(project: Project, mode: Mode) -> None:
    """Nobody was sent out again by a resume, but those who had brought nothing."""
    *planners, last = PLANNERS[mode]
    tries = {
        last: 10,
        "convention_scanner": 7,
        MAKER[mode]: 5,
        "verify_layer1": 4,
        "auto_fix_proposer": 1,
        EVALUATOR: 2,
    }
    assert Counter(project.cast.order) == Counter(planners) + Counter(ADVISED[mode] * 2) + Counter(tries)


def check_left(project: Project) -> None:
    files = {name: (project.root / name).read_text() for name in ("calc.py", *EDITS)}
    assert files == {"calc.py": RIGHT, **EDITS}
    assert not (project.root / ".harness").exists()
