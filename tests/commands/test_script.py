"""`/script` in a session: the same pipelines, and the model is shown what came out."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from onbook.commands.flow_output import resumed_by
from onbook.events import RunStarted
from onbook.flow.steps import Flow
from onbook.outcome import Outcome
from tests.commands.conftest import Typed
from tests.scripted import ScriptedServer

SETTINGS = """
[[pipelines]]
name = "shout"
description = "Say it louder"
[[pipelines.steps]]
name = "louder"
command = "tr a-z A-Z"

[[pipelines]]
name = "bad"
[[pipelines.steps]]
name = "fails"
command = "false"
"""


@pytest.fixture(autouse=True)
def settings(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(SETTINGS)


async def test_the_output_is_shown_and_goes_to_the_model_with_the_next_message(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    assert await typed("/script run shout 'hear me' out") is Outcome.PASSED
    assert typed.text == "HEAR ME OUT\n"
    assert [started.kind for started in typed.events.of(RunStarted)] == ["command", "script"]
    await typed("and?")
    assert "HEAR ME OUT" in scripted_model.chats[0].messages[-1]["content"]


async def test_two_outputs_of_one_pipeline_both_go_to_the_model(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("/script run shout first")
    await typed("/script run shout second")
    await typed("and?")
    asked = scripted_model.chats[0].messages[-1]["content"]
    assert "output of pipeline shout on first\nFIRST\n" in asked
    assert "output of pipeline shout on second\nSECOND\n" in asked


async def test_a_failure_shows_the_model_nothing_and_the_session_goes_on(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    assert await typed("/script run bad") is Outcome.FAILED
    assert typed.live.pending.pieces == ()
    assert await typed("still there?") is Outcome.PASSED


async def test_pipelines_are_listed_shown_and_completed(typed: Typed) -> None:
    await typed("/script")
    assert typed.text == "shout (1 step): Say it louder\nbad (1 step)\n"
    await typed("/script show shout")
    assert typed.text == "shout: Say it louder\n1. louder: tr a-z A-Z\n"
    assert await typed.offered("/script run sh") == ["shout"]


@pytest.mark.parametrize(
    ("kind", "line"), [("pipeline", "onbook runs resume"), ("workflow", "onbook ask /runs resume")]
)
async def test_outside_a_session_a_run_is_taken_up_by_a_line_that_can_do_it(typed: Typed, kind: Any, line: str) -> None:
    assert resumed_by(typed.live, Flow("play", kind, ())) == "/runs resume"
    assert resumed_by(replace(typed.live, goes_on=False), Flow("play", kind, ())) == line


async def test_an_unknown_pipeline_is_one_line(typed: Typed) -> None:
    assert await typed("/script run shuot x") is Outcome.USAGE
    assert typed.error == "no pipeline shuot; did you mean shout?"
