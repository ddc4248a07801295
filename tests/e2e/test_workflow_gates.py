"""The gates of a task that goes wrong, before a person: a list in 80 columns, numbers where none can be drawn."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from onbook.workflow.phases.autofix import PATCH
from onbook.workflow.state.loading import Kept, look
from tests.conftest import CommandLine, Terminal
from tests.flow.test_full_disk import ALONE, can_mount
from tests.scripted import ScriptedServer
from tests.terminal.conftest import Seen
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.whole import ANSWERS, DIFF, DOCS, RIGHT, SUM, TASK, WRONG, judges, play

DOWN, ENTER, CTRL_C = "\x1b[B", "\r", "\x03"
BEFORE = [f"--answer={gate}={choice}" for gate, choice in ANSWERS.items() if gate != "commit"]

Workflow = Callable[..., Seen]


@pytest.fixture
def cast(repository: Path, scripted_model: ScriptedServer) -> Cast:
    """Nobody gets it right: not the generator, until a patch is applied, and not in the evaluator's eyes."""
    git(repository, "config", "user.name", "Ada")
    git(repository, "config", "user.email", "ada@example.org")
    found = Cast(scripted_model)
    play(found, DOCS, WRONG, WRONG, WRONG, WRONG, RIGHT)
    found.plays("evaluator_prompt", judges("FAIL L3", DOCS))
    patch = f"## Summary\n\nThe sign is wrong.\n\n## Patch\n\n```diff\n{DIFF}```\n"
    found.plays("auto_fix_proposer", Part("auto_fix_patch written — confidence: High — the sign", {PATCH: patch}))
    return found


@pytest.fixture
def workflow(cast: Cast, terminal: Terminal) -> Workflow:
    def start(*words: str, **env: str) -> Seen:
        seen = Seen(terminal("workflow", *words, **env), 80, 24)
        seen.resize(80, 24)
        return seen

    return start


def test_every_gate_of_a_task_that_goes_wrong_is_answered_by_a_person(workflow: Workflow, repository: Path) -> None:
    at = workflow(TASK, "--test-cmd", SUM, "--max-rounds", "2", *BEFORE)
    at.until("and propose a\n     minimal diff (1 attempt only)\n  2. Continue to Evaluator")
    at.until("3. Stop — Halt for manual intervention. Review verify_report.md")
    at.enter("what do you mean?")
    at.until("You wrote: what do you mean? — that is none of the choices")
    at.enter("1")
    at.until("Verify: Auto-fix proposal")
    at.until("2. Reject")
    at.send(DOWN)
    at.until("❯ 1. Apply patch")
    at.send(ENTER)
    at.until("Auto-fix: Apply patch")
    at.until("Run next round to fix FAIL items")
    at.enter("fix")
    at.until("QA: Fix")
    at.until("2. Extend — Allow one more round and run it")
    at.send(CTRL_C)
    at.until("Stopped. Nothing is lost: go on with onbook workflow resume")
    assert at.end() == 4
    found = look(repository)
    assert isinstance(found, Kept)
    assert (found.state.phase, found.state.round) == ("evaluate_done", 2)

    dumb = workflow("resume", TERM="dumb")
    dumb.until("  1. Accept as-is — Finish; the remaining issues stay in qa_report.md")
    dumb.until("Number, or your own words:")
    dumb.enter("perhaps")
    dumb.until("You wrote: perhaps")
    dumb.enter("1")
    dumb.until("  1. Commit code only (Recommended) — Clean artifacts, commit code changes only")
    dumb.until("  4. Other")
    dumb.enter("1")
    assert dumb.end() == 3
    assert "\x1b" not in dumb.raw
    assert git(repository, "log", "-1", "--format=%s").strip() == TASK


def test_ctrl_c_at_the_last_gate_leaves_it_open(workflow: Workflow, cast: Cast, repository: Path) -> None:
    play(cast, DOCS)
    at = workflow(TASK, "--test-cmd", SUM, *BEFORE)
    at.until("3. No commit")
    at.send(CTRL_C)
    at.until("Stopped. Nothing is lost")
    assert at.end() == 4
    again = workflow("resume")
    again.until("3. No commit")
    again.enter("No commit")
    assert again.end() == 0
    assert (repository / "calc.py").read_text() == RIGHT


def test_looking_loads_and_records_nothing_and_a_refusal_neither(run: CommandLine, repository: Path) -> None:
    for words in (("workflow", "status"), ("workflow",), ("workflow", "clean"), ("workflow", "resume")):
        run(*words)
    assert run.transcripts == []
    loads = f"{sys.executable} -X importtime -m onbook workflow --help"
    assert "onbook.session.live" not in run.shell(loads).stderr


def test_a_second_process_is_refused_without_a_record(run: CommandLine, repository: Path) -> None:
    from onbook.workflow.state.lock import Lock

    lock = Lock.take(repository)
    refused = run("workflow", TASK)
    lock.release()
    assert refused.code == 1
    assert "another workflow is running here" in refused.stderr
    assert run.transcripts == []


@pytest.mark.skipif(not can_mount(), reason="cannot mount anything here, so nothing is read-only for root")
def test_status_reads_a_folder_that_cannot_be_written(run: CommandLine, cast: Cast, repository: Path) -> None:
    assert run("workflow", "plan", TASK, *BEFORE).code == 0
    mounted = f"mount --bind {repository} {repository} && mount -o remount,ro,bind {repository} && cd {repository}"
    shown = run.shell(f"{' '.join(ALONE)} bash -c '{mounted} && ! touch here && $onbook workflow status'")
    assert (shown.code, shown.stderr.count("\n")) == (0, 1)
    assert "Phase  : Plan — complete" in shown.stdout
