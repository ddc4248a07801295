"""A state that nobody can go on with, before a person at the command line: one line, and the file is never lost."""

import json
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.scripted import ScriptedServer
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import repository as repository
from tests.workflow.whole import TASK

WAY_OUT = 'mend it, or begin anew with: onbook workflow "task", and it is kept aside'
SPEC_IS_HERE = 'onbook: A /spec skill session is active in this directory. Begin one with: onbook workflow "task"\n'
KNOWN = {"skill": "workflow", "version": "2.0", "task": TASK, "docs_path": "docs/harness/add-a-sum/", "slug": "x"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"version": "2.0", "ta', f"it is not JSON (Input data was truncated); {WAY_OUT}"),
        (json.dumps(KNOWN | {"phase": "evaluating", "round": "three"}), f"round: Expected int, got str; {WAY_OUT}"),
        (json.dumps(KNOWN | {"version": "3.0"}), f"version: '3.0'; this onbook reads \"2.0\"; {WAY_OUT}"),
    ],
    ids=["truncated", "corrupt", "later"],
)
def test_a_state_that_cannot_be_read_is_one_line_and_stays(
    run: CommandLine, repository: Path, content: str, said: str
) -> None:
    state = planted(repository, content)
    for action in ("status", "resume"):
        done = run("workflow", action)
        assert (done.code, done.stdout) == (2, "")
        assert done.stderr == f"onbook: .harness/state.json cannot be used: {said}\n"
    assert state.read_text() == content


def test_a_new_task_keeps_it_aside_and_goes_its_way(
    run: CommandLine, repository: Path, scripted_model: ScriptedServer
) -> None:
    planted(repository, '{"version": "2.0", "ta')
    done = run("workflow", TASK)
    assert (done.code, done.stderr.count("waiting at the gate mode")) == (4, 1)
    (kept,) = (repository / ".harness").glob("state.json.broken-*")
    assert f"; it is kept as {kept.name}\n" in done.stderr
    assert kept.read_text() == '{"version": "2.0", "ta'
    assert json.loads((repository / ".harness/state.json").read_text())["task"] == TASK


def test_a_state_of_another_skill_is_named_and_left_alone(run: CommandLine, repository: Path) -> None:
    state = planted(repository, '{"skill": "spec"}')
    done = run("workflow", "resume")
    assert (done.code, done.stderr) == (2, SPEC_IS_HERE)
    assert state.read_text() == '{"skill": "spec"}'


def planted(root: Path, content: str) -> Path:
    state = root / ".harness" / "state.json"
    state.parent.mkdir()
    state.write_text(content)
    return state
