"""`[workflow]`: what a workflow need not ask and who plays in it, and how far a stranger's file may say so."""

from pathlib import Path

import pytest

from onbook.config.errors import SettingsError
from onbook.config.load import Loaded, load_settings
from onbook.config.parse import parse_settings
from onbook.config.workflow_settings import PERSONAS, ExternalAgent, WorkflowSettings
from onbook.workflow.agents import personas

AGENT = '[workflow.agents]\ngenerator = { command = ["coder", "--yes"], env = ["CODER_TOKEN"] }\n'


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    return tmp_path / "mine" / "onbook.toml"


def load(mine: Path, text: str, *, trusted: bool) -> Loaded:
    workspace = mine.parent.parent / "work"
    workspace.mkdir()
    (workspace / "onbook.toml").write_text(text)
    return load_settings(workspace, environ={"ONBOOK_CONFIG_DIR": str(mine.parent)}, is_trusted=lambda *_: trusted)


def test_a_command_is_a_line_or_a_list() -> None:
    assert ExternalAgent("coder --yes 'a b'").argv == ("coder", "--yes", "a b")
    assert ExternalAgent(("coder", "a b")).argv == ("coder", "a b")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('[workflow]\nmode = "mult"\n', 'onbook.toml:2: workflow.mode: "mult" is not known; did you mean multi?'),
        ('[workflow.models]\nopsu = "gpu"\n', "onbook.toml:2: workflow.models.opsu: unknown key; did you mean opus?"),
        (
            '[workflow.models]\nopus = ""\n',
            "onbook.toml:2: workflow.models.opus: must be one line of text, and not empty",
        ),
        (
            '[workflow.agents]\ngenerater = { command = "x" }\n',
            "onbook.toml:2: workflow.agents.generater: unknown key; did you mean generator?",
        ),
        ('[workflow.agents]\ngenerator = { command = "" }\n', "workflow.agents.command: must name a program"),
        ('[workflow.agents]\ngenerator = { command = "\'" }\n', "a quote is opened and not closed"),
        ('[workflow.agents]\ngenerator = { command = ["\\u0000"] }\n', "has a character that no argument can have"),
        ('[workflow.agents]\ngenerator = { command = "x", env = ["sk-x"] }\n', "must be the NAME of an environment"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(text.encode(), Path("onbook.toml"))
    assert line in str(caught.value)


def test_every_persona_can_be_a_program() -> None:
    assert set(PERSONAS) == set(personas.PERSONAS)


def test_an_agent_of_the_workspace_replaces_yours_of_that_name_whole(mine: Path) -> None:
    mine.write_text(f'{AGENT}evaluator = {{ command = "judge" }}\n')
    found = load(mine, '[workflow.agents]\ngenerator = { command = "theirs" }\n', trusted=True)
    agents = found.settings.workflow.agents
    assert agents["generator"] == ExternalAgent("theirs")
    assert agents["evaluator"] == ExternalAgent("judge")


def test_a_stranger_says_nothing_about_your_workflow(mine: Path) -> None:
    mine.write_text('[workflow]\nmode = "single"\n')
    found = load(mine, f'[workflow]\nmode = "multi"\n{AGENT}', trusted=False)
    assert found.settings.workflow == WorkflowSettings(mode="single")
    assert "left out workflow; read the file" in found.notices[0]
    assert found.left_out == (
        "agent generator of the workflow, which runs coder --yes with CODER_TOKEN",
        'workflow.mode = "multi"',
    )
