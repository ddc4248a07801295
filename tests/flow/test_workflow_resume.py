"""A workflow that was killed goes on in a session: what its models had said is not asked for again."""

import signal
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually
from tests.scripted import Reply, ScriptedServer, Stall

SETTINGS = """
[[roles]]
name = "planner"
workflow = "plan"

[[workflows]]
name = "plan"

[[workflows.steps]]
name = "draft"
prompt = "draft.md"
confidence = "80%"

[[workflows.steps]]
name = "views"
type = "parallel"
substeps = [{ name = "risks", prompt = "risks.md" }, { name = "costs", prompt = "costs.md" }]

[[workflows.steps]]
name = "sum_up"
prompt = "sum.md"
"""


@pytest.fixture
def killed(workspace: Path, run: CommandLine, scripted_model: ScriptedServer) -> ScriptedServer:
    """A server whose client was killed while one of two views had been given, and the other never came."""
    (workspace / "onbook.toml").write_text(SETTINGS)
    for name in ("draft", "risks", "costs", "sum"):
        (workspace / f"{name}.md").write_text(f"Say {name}.\n")
    scripted_model.rule("Say draft.", Reply('Do it.\n{"confidence": 0.9}'))
    scripted_model.rule("Say risks.", Reply("It may break."))
    scripted_model.rule("Say costs.", [Stall(), Reply("It costs little.")])
    scripted_model.rule("Say sum.", Reply("Do it with care."))
    process = run.start("ask", "--json", "--role", "planner", "--trust", "fix it")
    assert process.stdout is not None
    for line in process.stdout:  # the journal has it before the event is told
        if b'"step.finished"' in line and b"views/risks" in line:
            break
    eventually(lambda: len(scripted_model.chats) == 3)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return scripted_model


def test_a_killed_workflow_asks_only_what_was_not_answered(killed: ScriptedServer, run: CommandLine) -> None:
    done = run("ask", "--role", "planner", "/runs resume")
    assert (done.code, done.stdout.strip()) == (0, "Do it with care.")
    asked = [request.last.rpartition("Say ")[2].partition(".")[0] for request in killed.chats]
    assert sorted(asked) == ["costs", "costs", "draft", "risks", "sum"]
    assert ": 2 steps taken from the journal, 2 run" in done.stderr


def test_a_workflow_goes_on_only_in_the_role_it_began_in(killed: ScriptedServer, run: CommandLine) -> None:
    refused = run("ask", "/runs resume")
    assert refused.code == 2
    assert "began as role planner, and this session plays none: onbook ask --role planner" in refused.stderr
    assert len(killed.chats) == 3
