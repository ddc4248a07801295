"""`/script` in a session: the same pipelines, and the model is shown what came out."""

from pathlib import Path

import pytest

from onbook.events import RunStarted
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


async def test_an_unknown_pipeline_is_one_line(typed: Typed) -> None:
    assert await typed("/script run shuot x") is Outcome.USAGE
    assert typed.error == "no pipeline shuot; did you mean shout?"
