"""Whole tasks as people run them: `onbook workflow` in a real repository, with the checks that are found there."""

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from onbook.transcript.history import load
from onbook.workflow.state.loading import look
from tests.conftest import CommandLine, Finished, Terminal, eventually
from tests.scripted import ScriptedServer
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import first_commit as first_commit
from tests.workflow.staging import git
from tests.workflow.staging import repository as repository
from tests.workflow.whole import ANSWERS, DOCS, SPEC, TASK, play


@dataclass
class Project:
    """A repository, its cast, and the command line in it."""

    root: Path
    cast: Cast
    run: CommandLine

    def workflow(self, *words: str, **answers: str) -> Finished:
        """`onbook workflow …` with answers for every gate; an empty one leaves its gate open."""
        given = [f"--answer={gate}={choice}" for gate, choice in (ANSWERS | answers).items() if choice]
        return self.run("workflow", *words, *given)


@pytest.fixture
def project(repository: Path, run: CommandLine, scripted_model: ScriptedServer) -> Project:
    """A project that pytest and ruff check; these are the ones of this interpreter."""
    (repository / "pyproject.toml").write_text("[tool.ruff]\n\n[tool.pytest.ini_options]\npythonpath = ['.']\n")
    for words in (
        ("config", "user.name", "Ada"),
        ("config", "user.email", "ada@example.org"),
        ("add", "."),
        ("commit", "-q", "-m", "Settings"),
    ):
        git(repository, *words)
    run.env |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    cast = Cast(scripted_model)
    play(cast, DOCS)
    return Project(repository, cast, run)


def test_one_command_goes_from_a_sentence_to_a_commit(project: Project) -> None:
    done = project.workflow(TASK)
    assert (done.code, done.stdout) == (0, f"{DOCS}qa_report.md\n")
    assert "PASS — test: 1 passed; lint; build, type check skipped" in done.stderr
    assert "[harness] ✓ QA PASS — task complete." in done.stderr.splitlines()
    assert git(project.root, "log", "-1", "--format=%s").strip() == TASK
    assert git(project.root, "branch", "--show-current").strip() == "harness/add-a-sum"
    (transcript,) = project.run.transcripts
    assert "INT. WORKFLOW ADD-A-SUM EVALUATE " in transcript.read_text()
    assert load(transcript).turns == ()


def test_another_process_goes_on_where_one_waits(project: Project) -> None:
    waits = project.workflow(TASK, spec="")
    assert waits.code == 4
    assert waits.stderr.splitlines()[-2].startswith("onbook: waiting at the gate spec: Spec; ")
    (transcript,) = project.run.transcripts
    assert transcript.read_text().count("Review the spec above.") == 1
    done = project.workflow("resume", "--json", commit="all")
    assert done.code == 0
    outcomes = [event["outcome"] for event in done.events if event["type"] == "run.finished"]
    assert outcomes == ["passed"] * len(outcomes)
    answered = [(event["gate"], event["choice"]) for event in done.events if event["type"] == "gate.answered"]
    assert answered == [("spec", "proceed"), ("commit", "all")]
    committed = git(project.root, "show", "--format=", "--name-only", "HEAD").split()
    assert {f"{DOCS}spec.md", f"{DOCS}qa_report.md", "calc.py"} <= set(committed)


def test_piped_input_answers_no_gate(project: Project) -> None:
    done = project.run("workflow", TASK, stdin="1\nproceed\ny\n")
    assert done.code == 4
    assert "waiting at the gate mode" in done.stderr


def test_ctrl_c_stops_it_and_a_resume_goes_on(project: Project) -> None:
    project.cast.plays("planner_single", Part("spec generated — slowly", {f"{DOCS}spec.md": SPEC}, delay=30))
    given = [f"--answer={gate}={choice}" for gate, choice in ANSWERS.items()]
    process = project.run.start("workflow", TASK, "--test-cmd", "true", *given)
    eventually(lambda: project.cast.prompts("planner_single"))
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"[harness] Stopped. Nothing is lost: go on with onbook workflow resume" in stderr
    play(project.cast, DOCS)
    assert project.workflow("resume").code == 0


def test_a_person_at_a_terminal_chooses(project: Project, terminal: Terminal) -> None:
    at = terminal("workflow", TASK, "--test-cmd", "true", "--lint-cmd", "true", "--answer", "commit=none")
    for header, keys in (("Mode", "2\r"), ("Model", "1\r"), ("Convention Scan", "2\r"), ("Spec", "\x1b[B\r")):
        at.expect_exact(f"{header}\r\n")
        at.expect_exact("and the workflow can be resumed")
        at.send(keys)
    at.expect(f"{DOCS}qa_report.md")
    at.expect_exact("recorded in")
    at.wait()
    assert at.exitstatus == 0
    assert look(project.root) is None
