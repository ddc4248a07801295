"""A route that nobody chose: when it is asked all the same, and what is said when it is not."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CommandLine
from tests.scripted import ScriptedServer


@pytest.fixture
def lab() -> Iterator[ScriptedServer]:
    """A server with one model."""
    with ScriptedServer(models=("tiny",)) as server:
        yield server


def test_a_route_that_was_added_answers_when_nothing_else_could(run: CommandLine, lab: ScriptedServer) -> None:
    assert run("ask", "hi").complaint.endswith("name a server with `onbook route add NAME URL`")
    run("route", "add", "lab", lab.openai_url)
    done = run("ask", "hi")
    assert (done.code, done.stdout) == (0, "You said: hi\n")
    assert done.stderr.startswith("onbook: model: tiny (route lab, no other model is set up)\n")
    assert "✓ model: tiny would answer (no other model is set up)\n" in run("doctor").stdout


def test_no_question_leaves_this_machine_for_a_route_that_nobody_chose(run: CommandLine) -> None:
    run.route("far", "https://api.example.org/v1", model="m")
    done = run("ask", "hi")
    line = 'give -m far (in a session /model far), or write model = "far" at the top of onbook.toml'
    assert (done.code, done.complaint) == (5, f"no model is chosen: {line}")
    assert f"✗ model: none is chosen; {line}\n" in run("doctor").stdout


def test_a_route_that_a_folder_names_is_not_taken_unasked(
    run: CommandLine, workspace: Path, lab: ScriptedServer
) -> None:
    (workspace / "onbook.toml").write_text(f'[[routes]]\nname = "lab"\nurl = "{lab.openai_url}"\nmodel = "tiny"\n')
    done = run("ask", "hi")
    assert (done.code, lab.requests) == (5, [])
    assert done.complaint.startswith("no model is chosen: give -m lab ")


def test_a_folder_cannot_take_the_name_of_the_users_route(
    run: CommandLine, workspace: Path, lab: ScriptedServer
) -> None:
    run.route("lab", "http://127.0.0.1:1/v1", model="tiny")
    (workspace / "onbook.toml").write_text(f'[[routes]]\nname = "lab"\nurl = "{lab.openai_url}"\nmodel = "tiny"\n')
    done = run("ask", "hi")
    assert (done.code, lab.requests) == (5, [])


def test_adding_a_route_says_how_to_choose_it(run: CommandLine, user_settings: Path) -> None:
    done = run("route", "add", "lab", "http://127.0.0.1:1/v1")
    assert done.complaint == f'-m lab asks it; model = "lab" at the top of {user_settings} makes it the default'
    user_settings.write_text('model = "pi"\n')
    assert run("route", "add", "pi", "ollama://pi.local").stderr == ""


def test_a_workflow_without_a_model_is_refused_before_anything_is_written(run: CommandLine, workspace: Path) -> None:
    done = run("workflow", "hi", "--mode", "single", "--model-config", "default", "--answer", "conventions=skip")
    assert (done.code, done.complaint.partition(":")[0]) == (5, "no model to ask")
    assert not (workspace / ".harness").exists()
    assert not (workspace / "docs").exists()


def test_a_workflow_whose_models_are_all_named_needs_no_other(run: CommandLine, workspace: Path) -> None:
    run.route("far", "https://api.example.org/v1", model="m")
    named = ("--mode", "single", "--model-config", "executor:far,advisor:far,evaluator:far")
    assert run("workflow", "hi", *named).code == 4
    assert (workspace / ".harness" / "state.json").exists()


def test_a_workflow_that_would_ask_the_active_model_names_the_routes(run: CommandLine, workspace: Path) -> None:
    run.route("far", "https://api.example.org/v1", model="m")
    done = run("workflow", "hi", "--mode", "single", "--model-config", "default")
    assert (done.code, done.complaint.partition(":")[0]) == (5, "no model is chosen")
    assert not (workspace / ".harness").exists()
