"""Who plays a persona: the model of its role, the skills its row names, and no more tools than its job needs."""

import json
from pathlib import Path

import pytest

from onbook.config.workflow_settings import PERSONAS as NAMES
from onbook.workflow.agents.personas import PERSONAS
from onbook.workflow.state.state import ModelConfig
from onbook.workflow.work import Errand
from tests.scripted import Reply, ScriptedServer, ToolCall
from tests.workflow.agents.test_sending import COMMON, proposal, proposes
from tests.workflow.agents.test_without_tools import making
from tests.workflow.cast import Cast, Part
from tests.workflow.staging import DOCS, Staged

READING = {"read_file", "list_files", "search_files", "write_file"}


def test_the_table_has_every_persona_and_the_settings_the_same() -> None:
    assert set(PERSONAS) == set(NAMES)


def test_the_roles_are_those_of_the_seeds_tables() -> None:
    roles = {name: persona.role for name, persona in PERSONAS.items()}
    assert {name for name, role in roles.items() if role == "executor"} == {
        "lead_developer",
        "generator",
        "implementer",
    }
    assert roles["evaluator"] == "evaluator"
    assert roles["verifier"] == "verifier"
    assert {roles[name] for name in ("architect", "senior_developer", "qa_specialist", "combined_advisor")} == {
        "advisor"
    }


@pytest.mark.parametrize(
    ("errand", "phase", "tools"),
    [
        (proposal(), "plan_ready", READING),
        (making(), "generating", READING | {"edit_file", "delete_file", "run_check"}),
    ],
    ids=["architect", "generator"],
)
async def test_a_persona_is_offered_the_tools_of_its_trade(
    staged: Staged, scripted_model: ScriptedServer, errand: Errand, phase: str, tools: set[str]
) -> None:
    work = await staged.begun(phase, "artefact=stop", test_cmd="true")  # type: ignore[arg-type]
    scripted_model.replies(Reply(tool_calls=(_writes(errand.artefact),)), Reply("1 proposal written changed — x"))
    await work.agents.send(work, errand)
    offered = {tool["function"]["name"] for tool in scripted_model.chats[0].body["tools"]}
    assert offered == tools


async def test_the_generator_runs_the_checks_and_is_refused_anything_else(
    staged: Staged, scripted_model: ScriptedServer
) -> None:
    work = await staged.begun("generating", test_cmd="echo all is well")
    scripted_model.replies(
        Reply(
            tool_calls=(
                ToolCall("a", "run_check", '{"check": "test"}'),
                ToolCall("b", "run_check", '{"check": "lint"}'),
            )
        ),
        Reply(tool_calls=(ToolCall("c", "run_command", '{"command": "env"}'),)),
        Reply(tool_calls=(_writes(f"{DOCS}changes.md"),)),
        Reply("0 files changed — nothing"),
    )
    await work.agents.send(work, making())
    results = [message["content"] for message in scripted_model.chats[-1].messages if message["role"] == "tool"]
    assert "all is well" in results[0]
    assert "has no lint command" in results[1]
    assert "there is no tool run_command" in results[2]


async def test_an_agent_that_writes_elsewhere_is_refused_and_that_is_said(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    (work.root / "README.md").write_text("Mine.\n")
    cast.plays("architect", Part("proposal written — x", {"README.md": "Ours.\n"} | proposes().files))
    await work.agents.send(work, proposal())
    assert (work.root / "README.md").read_text() == "Mine.\n"
    assert any(line.startswith("[harness] ⚠ architect: refused to write README.md: ") for line in staged.said)


async def test_each_role_is_played_by_its_own_model(staged: Staged, cast: Cast, scripted_model: ScriptedServer) -> None:
    config = ModelConfig("custom", executor="small", advisor="large", evaluator="large")
    work = await staged.begun("generating", model_config=config)
    cast.plays("generator_single", Part("0 files changed — x", {f"{DOCS}changes.md": "x"}))
    cast.plays("architect", proposes())
    await work.agents.send(work, making())
    await work.agents.send(work, proposal())
    assert [request.model for request in scripted_model.chats] == ["small", "small", "large", "large"]


@pytest.fixture
def scripted_model(user_settings: Path) -> object:
    """A server that takes any model's name, as those do that cannot list theirs."""
    with ScriptedServer(listing=False) as server:
        route = f'name = "scripted"\nurl = "{server.openai_url}"\nmodel = "llama3:latest"'
        user_settings.write_text(f'model = "scripted"\n\n[[routes]]\n{route}\n')
        yield server


async def test_a_skill_that_the_row_names_goes_along_and_a_judge_takes_none_from_the_workspace(
    staged: Staged, cast: Cast
) -> None:
    work = await staged.begun()
    for name in ("architecture", "code-review"):
        path = work.root / ".agents/skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"---\ndescription: How we do it.\n---\nFollow the {name} rules.\n")
    await work.live.skills.refresh()
    cast.plays("architect", proposes())
    report = f"{DOCS}qa_report.md"
    cast.plays("evaluator_prompt", Part("PASS — x", {report: "### Verdict: PASS\n"}))
    await work.agents.send(work, proposal())
    given = dict.fromkeys(PERSONAS["evaluator"].given, "-") | {"qa_report_path": report}
    await work.agents.send(work, Errand("evaluator", report, given))
    assert "Follow the architecture rules." in cast.prompts("architect")[0]
    assert "rules." not in cast.prompts("evaluator_prompt")[0]


async def test_an_agent_hears_nothing_of_the_session_around_it(staged: Staged, cast: Cast) -> None:
    work = await staged.begun()
    work.live.chat.conversation.sections["role"] = "You are a pirate."
    cast.plays("architect", proposes())
    await work.agents.send(work, proposal(**COMMON))
    assert "pirate" not in cast.prompts("architect")[0]


def _writes(path: str) -> ToolCall:
    return ToolCall("w", "write_file", json.dumps({"path": path, "content": "x\n"}))
