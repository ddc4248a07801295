"""Taking a pipeline up again: what was answered already is not asked again."""

import asyncio
from pathlib import Path

import pytest

from onbook.events import Note, TextDelta
from tests.pipeline.conftest import Others, Pipeline, asked, instructed, sure
from tests.scripted import ScriptedServer, Stall, Status


async def failed(piped: Pipeline, server: ScriptedServer, words: str = "90% a.md b.md c.md") -> None:
    """A run that stopped at its second step."""
    server.replies(sure("1. look", 0.92), Status(400, {"error": {"message": "no"}}))
    assert await piped(words) == "model_failed"


async def test_finished_steps_are_not_asked_again(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    await failed(piped, scripted_model)
    scripted_model.replies(sure("It is good."), sure("Done."))
    assert await piped("--resume") == "passed"
    assert len(scripted_model.chats) == 4
    assert asked(scripted_model, 2)[-1] == instructed("1. look\n\n---\n\nCheck the plan.")
    assert [step.reused for step in piped.steps] == [True, False, False]
    assert any("1 step taken from the journal, 2 run" in note for note in piped.typed.notes)
    assert piped.history == [("user", "/pipeline 90% a.md b.md c.md"), ("assistant", "Done.")]


async def test_a_file_that_was_changed_runs_again_and_that_is_said(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    await failed(piped, scripted_model)
    (prompts / "a.md").write_text("Plan it well.")
    scripted_model.replies(sure("2. think"), sure("It is good."), sure("Done."))
    assert await piped("--resume") == "passed"
    assert asked(scripted_model, 2)[-1] == instructed("Plan it well.")
    assert any(note.startswith("run again, with another ") and "a.md" in note for note in piped.typed.notes)


async def test_a_higher_threshold_runs_a_step_again_that_is_below_it(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    await failed(piped, scripted_model)
    scripted_model.replies(sure("2. think", 0.97), sure("It is good.", 0.97), sure("Done.", 0.97))
    assert await piped("--resume 95%") == "passed"
    assert [step.reused for step in piped.steps] == [False, False, False]


async def test_a_lower_threshold_takes_the_step_that_stopped_the_run(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("1. look", 0.72))
    assert await piped("90% a.md b.md") == "below_threshold"
    scripted_model.replies(sure("It is good.", 0.75))
    assert await piped("--resume 70%") == "passed"
    assert [step.reused for step in piped.steps] == [True, False]
    assert len(scripted_model.chats) == 2
    assert piped.history[0] == ("user", "/pipeline 70% a.md b.md")


async def test_variables_and_the_method_are_those_of_the_run(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "b.md").write_text("About {{topic}}.")
    await failed(piped, scripted_model, "--var topic=rivers 90% a.md b.md")
    scripted_model.replies(sure("It is good."))
    assert await piped("--resume") == "passed"
    assert asked(scripted_model)[-1] == instructed("1. look\n\n---\n\nAbout rivers.")


@pytest.mark.parametrize("resume", ["/runs resume", "/pipeline --resume {run}", "/pipeline --resume 80% {run}"])
async def test_a_run_may_be_named(piped: Pipeline, scripted_model: ScriptedServer, resume: str) -> None:
    await failed(piped, scripted_model, "90% a.md b.md")
    run = piped.run.run
    scripted_model.replies(sure("It is good."))
    assert (await piped.typed(resume.format(run=run))).value == "passed"
    assert [step.reused for step in piped.steps] == [True, False]


async def test_a_run_that_passed_leaves_nothing_to_take_up(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    assert await piped("--resume") == "usage"
    assert piped.typed.error == (
        "pipeline: there is nothing to take up: no pipeline of prompts has failed or was stopped here"
    )
    scripted_model.replies(sure("1. look"))
    await piped("90% a.md")
    run = piped.run.run
    assert await piped(f"--resume {run}") == "usage"
    assert piped.typed.error == f"pipeline: run {run} has passed: there is nothing to take up"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--resume 90 ", '"90" is not a confidence: write it as 90%'),
        ("--resume nope", 'no run "nope"'),
        ("--resume -5%", '"-5%" is not a confidence'),
        ("--resume 0%", '"0%" is not a confidence'),
        ("--resume 90% a.md b.md", "write --resume [CONFIDENCE%] [RUN]"),
        ("--resume --var a=b", "leave the other options out"),
    ],
)
async def test_what_goes_with_resume_is_said(
    piped: Pipeline, scripted_model: ScriptedServer, words: str, said: str
) -> None:
    await failed(piped, scripted_model, "90% a.md b.md")
    assert await piped(words) in ("usage", "failed")
    assert said in piped.typed.error


async def test_a_cancelled_run_is_taken_up_where_it_was(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. look"), Stall())
    before = piped.history
    running = asyncio.create_task(piped("90% a.md b.md"))
    while len(scripted_model.chats) < 2 or "The" not in "".join(each.text for each in piped.typed.seen.of(TextDelta)):
        await asyncio.sleep(0.01)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert (piped.run.outcome, piped.history) == ("cancelled", before)
    scripted_model.replies(sure("It is good."))
    assert await piped("--resume") == "passed"
    assert [step.reused for step in piped.steps] == [True, False]


async def test_a_confidence_that_is_given_anew_is_the_runs_from_then_on(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("1. look", 0.72), Status(400, {"error": {"message": "no"}}), sure("It is good.", 0.75))
    assert await piped("90% a.md b.md") == "below_threshold"
    assert await piped("--resume 70%") == "model_failed"
    assert await piped("--resume") == "passed"
    assert [(step.reused, step.threshold) for step in piped.steps] == [(True, 0.7), (False, 0.7)]


async def test_what_is_taken_up_is_said_before_anything_is_sent(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    await failed(piped, scripted_model)
    run = piped.run.run
    scripted_model.replies(sure("It is good."), sure("Done."))
    await piped("--resume")
    told = [each.text for each in piped.typed.events.seen if isinstance(each, Note | TextDelta)]
    assert told[0] == f"resuming {run}: /pipeline 90% a.md b.md c.md"


@pytest.mark.usefixtures("others")
async def test_a_reused_step_says_which_model_answered_it(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer, others: Others
) -> None:
    (prompts / "a.md").write_text("@reviewer plan it.")
    others.reviewer.replies(sure("1. look"))
    scripted_model.replies(Status(400, {"error": {"message": "no"}}), sure("It is good."))
    await piped("90% a.md b.md")
    await piped("--resume")
    assert [(step.reused, step.model) for step in piped.steps] == [(True, "qwen3:4b"), (False, "llama3:latest")]
