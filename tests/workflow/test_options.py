"""Seed 4, "CLI Parsing": one reading of `onbook workflow …` and `/workflow …`."""

from typing import Any

import msgspec
import pytest

from onbook.outcome import UsageError
from onbook.workflow.options import OPTIONS, WorkflowOptions, options_of


@pytest.mark.parametrize(
    ("words", "action", "style"),
    [
        (["add a login"], "start", "auto"),
        (["plan", "add a login"], "plan", "phase"),
        (["generate"], "generate", "phase"),
        (["verify"], "verify", "step"),
        (["evaluate"], "evaluate", "step"),
        (["status"], "status", "auto"),
        (["resume"], "resume", "auto"),
        ([], "start", "auto"),
    ],
)
def test_the_first_word_says_how_far_a_call_goes(words: list[str], action: str, style: str) -> None:
    read = options_of(words, {})
    assert (read.action, read.run_style) == (action, style)


def test_a_task_may_be_several_words_or_one_in_quotes() -> None:
    assert options_of(["plan", "add", "a", "login"], {}).task == "add a login"
    assert options_of(["verify the login"], {}).task == "verify the login"


def test_every_option_of_the_table_is_a_field_and_every_field_has_an_option() -> None:
    fields = {field.name for field in msgspec.structs.fields(WorkflowOptions)}
    assert {row.field for row in OPTIONS} == fields - {"action", "task"}


def test_what_was_said_is_read_into_its_types() -> None:
    given = {
        "mode": "multi",
        "models": "executor:gpu,evaluator:llama3:latest",
        "max_files": "7",
        "max_rounds": None,
        "scopes": ("src/**", "!src/old"),
        "todo_blocking": True,
        "answers": ("mode=single", "spec=proceed", "model=executor:gpu"),
        "output_dir": "",
    }
    read = options_of(["x"], given)
    assert (read.mode, read.models, read.max_files, read.max_rounds) == (
        *("multi", "executor:gpu,evaluator:llama3:latest"),
        *(7, None),
    )
    assert read.scopes == ("src/**", "!src/old")
    assert read.answers == (("mode", "single"), ("spec", "proceed"), ("model", "executor:gpu"))
    assert read.answers_gate("spec")
    assert not read.answers_gate("qa")
    assert read.output_dir == "", "the validator of paths has its own words for it"


@pytest.mark.parametrize(
    ("words", "given", "complaint"),
    [
        (["verify", "x"], {}, "workflow verify takes no task"),
        (["plan"], {}, "workflow plan needs a task"),
        (["x"], {"mode": "duo"}, "--mode: there is no mode duo; modes are single, standard, multi"),
        (["x"], {"models": "balancd"}, "--model-config: there is no preset balancd; did you mean balanced?"),
        (["x"], {"models": "executor:"}, "--model-config: executor needs the name of a model"),
        (["x"], {"models": "boss:gpu"}, "--model-config: there is no role boss"),
        (["x"], {"models": "executor:a,executor:b"}, "--model-config: executor is named twice"),
        (["x"], {"max_files": "0"}, "--max-files must be a whole number of at least 1"),
        (["x"], {"max_rounds": "-1"}, "--max-rounds must be a whole number of at least 1"),
        (["x"], {"lint_cmd": " "}, "--lint-cmd must be one line of text, and not empty"),
        (["x"], {"user_lang": "Deutsch!"}, "--user-lang must be the code of a language"),
        (["x"], {"answers": ("spec",)}, "--answer spec: write it as GATE=CHOICE"),
        (["x"], {"answers": ("spek=proceed",)}, 'there is no gate "spek"'),
        (["x"], {"answers": ("spec=go",)}, "spec can be answered with proceed, modify, stop"),
        (["x"], {"scopes": ("src\n",)}, "--scope must be one line"),
        (["x"], {"scopes": ("src/../..",)}, "without .."),
        (["status"], {"mode": "single"}, "--mode goes only with a task and workflow plan and workflow resume"),
        (["x"], {"everything": True}, "--all goes only with workflow clean"),
        (["x"], {"from_spec": "a", "output_dir": "b"}, "leave --output-dir out"),
        (["plan", "x"], {"from_spec": "a"}, "leave out either it or the word plan"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_starts(
    words: list[str], given: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UsageError) as refused:
        options_of(words, given)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)
