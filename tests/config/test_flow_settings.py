"""Pipelines and workflows as they are written down: what loads, and the one line for each thing that cannot."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.errors import SettingsError
from onbook.config.flow_settings import Pipeline, StepTable, Workflow
from onbook.config.parse import parse_settings
from tests.config.conftest import Places
from tests.seed5 import CONDITIONAL, DEV_PIPELINE, DEVELOPER, FOREACH, LOOP, ONCE, TYPES, WORKFLOW

DEV = '[[pipelines]]\nname = "dev"\n[[pipelines.steps]]\nname = "a"\n'
"""The next line is the fifth."""
SUB = '[[pipelines.steps.substeps]]\nname = "b"\ncommand = "y"\n'
FLOW = '[[workflows]]\nname = "w"\n[[workflows.steps]]\nname = "a"\n'
SEED = "".join((DEV_PIPELINE, DEVELOPER, TYPES, ONCE, LOOP, FOREACH, CONDITIONAL, WORKFLOW))


def test_every_block_of_the_seed_loads_as_written(places: Places) -> None:
    places.write(SEED)
    settings = places.load().settings
    types = settings.pipeline_named("TYPES")
    assert types is not None
    assert [step.type for step in types.steps] == ["once", "loop", "foreach", "conditional"]
    role = settings.role_named("developer")
    assert role is not None
    assert (role.pipeline, role.workflow) == ("dev_pipeline", "developer_workflow")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (DEV + 'type = "lop"\ncommand = "x"', '5: pipeline dev, step a: type: "lop" is not known; did you mean loop?'),
        (DEV + 'tiemout = 3\ncommand = "x"', "5: pipeline dev, step a: tiemout: unknown key; did you mean timeout?"),
        (DEV, "3: pipeline dev, step a: command: is missing"),
        (DEV + 'command = " "', "5: pipeline dev, step a: command: must name a program"),
        (DEV + 'command = "echo \'x"', "5: pipeline dev, step a: command: a quote is opened and not closed"),
        (DEV + 'command = "x"\ntimeout = 0', "6: pipeline dev, step a: timeout: expected a number of at least 1"),
        (DEV + 'command = "x"\ntimeout = 3601', "6: pipeline dev, step a: timeout: expected a number of at most 3600"),
        (
            DEV + 'command = ["x"]\nshell = true',
            "5: pipeline dev, step a: command: a command for the shell is text, not a list",
        ),
        (
            DEV + 'type = "loop"\ncommand = "x"',
            '6: pipeline dev, step a: command: has no meaning with type = "loop"; commands go into its substeps',
        ),
        (
            DEV + 'command = "x"\nparallel = 2',
            '6: pipeline dev, step a: parallel: has no meaning with type = "once"; it goes with foreach',
        ),
        (DEV + 'type = "loop"\n' + SUB, '3: pipeline dev, step a: exit_pattern: is missing: type = "loop" needs it'),
        (
            DEV + 'type = "foreach"\nparse_pattern = "x"',
            '3: pipeline dev, step a: substeps: is missing: type = "foreach" needs it',
        ),
        (
            DEV + 'type = "foreach"\nparse_pattern = "("\n' + SUB,
            "6: pipeline dev, step a: parse_pattern: '(' is not a pattern: missing ): (",
        ),
        (
            DEV + 'type = "foreach"\nparse_pattern = "(?=x)"\n' + SUB,
            "6: pipeline dev, step a: parse_pattern: '(?=x)' is not a pattern: invalid perl operator: (?=",
        ),
        (
            DEV + 'type = "loop"\nexit_pattern = "x"\n' + SUB + "timeout = 0",
            "10: pipeline dev, step a/b: timeout: expected a number of at least 1",
        ),
        (
            DEV + 'type = "conditional"\ncommand = "x"\ncondition_pattern = "x"',
            '3: pipeline dev, step a: on_match: is missing: type = "conditional" needs on_match or on_no_match',
        ),
        (
            DEV + 'type = "conditional"\ncommand = "x"\ncondition_pattern = "x"\non_match = ["y", { command = "x" }]',
            "8: pipeline dev, step a/on_match 2: name: is missing",
        ),
        (
            DEV + 'type = "loop"\nexit_pattern = "x"\non_exhausted = "stop"\n' + SUB,
            '7: pipeline dev, step a: on_exhausted: "stop" is not known; write pass or error',
        ),
        (DEV + 'prompt = "x.md"', "5: pipeline dev, step a: prompt: goes into [[workflows]]; a pipeline runs commands"),
        (
            FLOW + 'prompt = "x.md"\ncommand = "x"',
            "6: workflow w, step a: command: stands beside a prompt; a step has one of them",
        ),
        (
            FLOW + 'prompt = "x.md"\nconfidence = "90"',
            "6: workflow w, step a: confidence: must be a percentage above 0 and up to 100, as in 85%",
        ),
        (
            FLOW + 'command = "x"\nmodel = "m"',
            "6: workflow w, step a: model: goes with a prompt, and this step has none",
        ),
        (
            '[[workflows]]\nname = "w"\nkind = "harnes"',
            '3: workflows[0].kind: "harnes" is not known; did you mean harness?',
        ),
        ('[[pipelines]]\nname = "p"\nsteps = []', "3: pipelines[0].steps: needs at least one step"),
        ('[[pipelines]]\nname = "p"', "1: pipelines[0].steps: is missing"),
        (
            '[[roles]]\nname = "r"\n[[roles]]\nname = "s"\npipeline = "dve"\n' + DEV + 'command = "x"',
            "5: roles[1].pipeline: there is no pipeline dve; did you mean dev?",
        ),
        (
            '[[roles]]\nname = "r"\nworkflow = "x"',
            "3: roles[0].workflow: there is no workflow x; define it with [[workflows]]",
        ),
    ],
)
def test_a_mistake_is_one_line_with_file_line_and_step(places: Places, text: str, line: str) -> None:
    assert places.complaint(text) == f"onbook.toml:{line}"


def test_two_steps_beside_each_other_have_different_names(places: Places) -> None:
    text = DEV + 'command = "x"\n[[pipelines.steps]]\nname = "A"\ncommand = "y"'
    assert places.complaint(text) == "onbook.toml:7: pipeline dev, step A: name: another step is called A already"


def test_a_step_inside_a_branch_is_checked_like_any_other(places: Places) -> None:
    branch = '{ name = "deep", type = "loop", exit_pattern = "x", substeps = [{ name = "c", command = "" }] }'
    text = DEV + f'type = "conditional"\ncommand = "x"\ncondition_pattern = "x"\non_match = [{branch}]'
    assert places.complaint(text) == "onbook.toml:8: pipeline dev, step a/deep/c: command: must name a program"


def test_a_line_for_the_shell_may_have_any_quotes(places: Places) -> None:
    places.write(DEV + "command = \"cat <<'E'\\nit's\\nE\"\nshell = true")
    assert places.load().settings.pipelines[0].steps[0].shell


def test_steps_nest_to_any_depth(places: Places) -> None:
    step = '{ name = "s", command = "x" }'
    for _ in range(50):
        step = f'{{ name = "s", type = "loop", exit_pattern = "x", substeps = [{step}] }}'
    places.write(f'[[pipelines]]\nname = "deep"\nsteps = [{step}]')
    depth, here = 0, places.load().settings.pipelines[0].steps[0]
    while here.substeps:
        depth, here = depth + 1, here.substeps[0]
    assert depth == 50


def test_a_file_nested_beyond_reason_is_one_line(places: Places) -> None:
    deep = "[{" + 'name="s",type="loop",exit_pattern="x",substeps=[{' * 5000
    assert places.complaint(f'[[pipelines]]\nname = "p"\nsteps = {deep}') == "onbook.toml: is nested too deeply"


@given(st.text(max_size=8), st.text(max_size=8))
def test_any_name_and_pattern_load_or_get_their_line(name: str, pattern: str) -> None:
    quoted = ["".join(f"\\U{ord(sign):08x}" for sign in text) for text in (name, pattern)]
    text = f'[[pipelines]]\nname = "p"\n[[pipelines.steps]]\nname = "{quoted[0]}"\ntype = "foreach"\n'
    text += f'parse_pattern = "{quoted[1]}"\n{SUB}'
    line = ""
    try:
        parse_settings(text.encode("utf-8", "replace"), Path("onbook.toml"))
    except SettingsError as error:
        line = str(error)
    assert re.fullmatch(r"(onbook.toml:[46]: pipeline p, step .*: (name|parse_pattern): .+)?", line)
    assert line.isprintable()


def test_the_workspace_s_pipeline_takes_the_place_of_yours_and_roles_of_either_may_name_it(places: Places) -> None:
    places.write_user(DEV + 'command = "mine"\n[[roles]]\nname = "r"\npipeline = "dev"')
    places.write(DEV.replace("dev", "DEV") + 'command = "theirs"')
    (pipeline,) = places.load().settings.pipelines
    assert pipeline.steps[0].command == "theirs"


def test_an_untrusted_role_starts_nothing_by_itself_and_the_pipeline_can_still_be_run(places: Places) -> None:
    places.write(SEED)
    loaded = places.load(trusted=False)
    (role,) = loaded.settings.roles
    assert (role.pipeline, role.workflow) == (None, None)
    assert loaded.settings.pipeline_named("dev_pipeline")
    assert "left out the pipeline of role developer, the workflow of role developer;" in loaded.notices[0]
    assert "pipeline dev_pipeline, which role developer starts by itself" in loaded.left_out


def test_an_untrusted_pipeline_never_takes_the_place_of_yours(places: Places) -> None:
    places.write_user(DEV + 'command = "mine"\n[[roles]]\nname = "r"\npipeline = "dev"')
    places.write(DEV.replace("dev", "DEV") + 'command = "theirs"')
    loaded = places.load(trusted=False)
    assert [pipeline.steps[0].command for pipeline in loaded.settings.pipelines] == ["mine"]
    assert "left out pipeline DEV (yours has the name);" in loaded.notices[0]


def test_a_workflow_of_prompts_and_a_harness_load() -> None:
    text = FLOW + 'prompt = "a.md"\nmodel = "m"\nconfidence = "85%"\ntemperature = 0.2\n[[workflows]]\nname = "h"\n'
    flow, harness = parse_settings(f'{text}kind = "harness"'.encode(), Path("onbook.toml")).workflows
    assert flow == Workflow("w", (StepTable("a", prompt="a.md", model="m", confidence="85%", temperature=0.2),))
    assert (harness.kind, harness.steps) == ("harness", ())


def test_a_pipeline_made_in_code_is_checked_too() -> None:
    with pytest.raises(SettingsError, match=r"^name: a pipeline's name is made of"):
        Pipeline("a/b", (StepTable("a", command="x"),))


def test_every_example_on_the_page_about_scripts_is_valid() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scripts.md").read_text()
    examples = re.findall(r"```toml\n(.*?)```", page, re.S)
    assert len(examples) == 6
    for text in examples:
        assert parse_settings(text.encode(), Path("onbook.toml")).pipelines
