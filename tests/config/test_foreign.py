"""A settings file of another program, given with `--config`: only its pipelines, workflows and roles count."""

from pathlib import Path

import pytest

from onbook.config.errors import SettingsError
from onbook.config.load import Loaded, load_settings
from tests.config.conftest import Places

OCTOMIND = """\
version = 1
model = "openrouter:example/model"

[mcp]
servers = []

[[roles]]
name = "developer"
temperature = 0.3
top_p = 0.7
top_k = 20
system = "You help."
pipeline = "dev_pipeline"
workflow = "layered"
[roles.mcp]
server_refs = ["core"]
allowed_tools = []

[[workflows]]
name = "layered"
[[workflows.steps]]
name = "refine"
type = "once"
layer = "query_processor"

[[pipelines]]
name = "dev_pipeline"
[[pipelines.steps]]
name = "detect_files"
type = "once"
command = "./scripts/detect-files.sh"
"""


def load(places: Places, text: str) -> Loaded:
    path = places.workspace / "octomind.toml"
    path.write_text(text)
    variables = {"ONBOOK_CONFIG_DIR": str(places.user)}
    return load_settings(places.workspace, environ=variables, is_trusted=lambda *_: False, foreign=path)


def test_pipelines_and_roles_of_octomind_s_file_are_used_as_they_are(places: Places) -> None:
    settings = load(places, OCTOMIND).settings
    role = settings.role_named("developer")
    assert role is not None
    assert (role.system, role.temperature, role.pipeline, role.workflow) == ("You help.", 0.3, "dev_pipeline", None)
    assert settings.pipeline_named("dev_pipeline")


def test_what_is_left_out_is_said_in_one_line_each(places: Places) -> None:
    loaded = load(places, OCTOMIND)
    assert loaded.settings.model is None
    assert [notice.partition("octomind.toml: ")[2] for notice in loaded.notices] == [
        "only pipelines, workflows and roles are read; left out version, model, mcp",
        "left out workflow layered: its steps name layers, which onbook has not",
    ]


def test_it_goes_over_the_workspace_s_own_file(places: Places) -> None:
    places.write('[[pipelines]]\nname = "DEV_pipeline"\n[[pipelines.steps]]\nname = "a"\ncommand = "own"\n')
    (pipeline,) = load(places, OCTOMIND).settings.pipelines
    assert pipeline.steps[0].command == "./scripts/detect-files.sh"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("workflows = [[{ layer = 1 }]]", "1: workflows[0]: expected a table, got a list"),
        ('roles = 5\nworkflows = [{ name = "x", layer = 1 }]', "1: roles: expected a list, got a whole number"),
        ('[[roles]]\nname = "r"\ntop_x = 1', "3: roles[0].top_x: unknown key; did you mean top_p?"),
        ('[[roles]]\nname = "r"\npipeline = "p"', "3: roles[0].pipeline: there is no pipeline p; define it with "),
        (
            f'{OCTOMIND}\n[[workflows]]\nname = "w"\n[[workflows.steps]]\nname = "a"\n',
            "35: workflow w, step a: command: ",
        ),
    ],
)
def test_a_mistake_in_it_is_one_line_with_file_and_line(places: Places, text: str, line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(places, text)
    assert str(caught.value).partition("octomind.toml:")[2].startswith(line)


def test_one_that_is_missing_is_said(places: Places, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone\.toml: does not exist$"):
        load_settings(
            None, environ={"ONBOOK_CONFIG_DIR": "/"}, is_trusted=lambda *_: True, foreign=tmp_path / "gone.toml"
        )
