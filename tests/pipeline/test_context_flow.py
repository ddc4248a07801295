"""What each step is sent, to whom, and what is left of it in the conversation."""

from pathlib import Path

import pytest

from onbook.events import RunStarted, TextDelta
from tests.pipeline.conftest import Others, Pipeline, asked, instructed, sure
from tests.scripted import Reply, ScriptedServer

SYSTEM = ("system", "Be brief.")


async def test_the_first_step_knows_the_conversation_and_the_others_only_the_reply_before(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("Hello."), sure("1. look"), sure("It is good."), sure("Done."))
    await piped.typed("hi")
    assert await piped("90% a.md b.md c.md") == "passed"
    talk = [("user", "hi"), ("assistant", "Hello.")]
    assert asked(scripted_model, 1) == [SYSTEM, *talk, instructed("Plan it.")]
    assert asked(scripted_model, 2) == [SYSTEM, instructed("1. look\n\n---\n\nCheck the plan.")]
    assert asked(scripted_model, 3) == [SYSTEM, instructed("It is good.\n\n---\n\nWrite it down.")]
    assert not scripted_model.chats[1].body.get("tools")


async def test_a_pipeline_that_passed_is_one_turn_of_the_conversation(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("1. look"), sure("It is good."))
    await piped("90% a.md b.md")
    assert piped.history == [("user", "/pipeline 90% a.md b.md"), ("assistant", "It is good.")]
    assert piped.run.text == "It is good."
    assert [step.reading.score for step in piped.steps if step.reading] == [0.95, 0.95]


async def test_equality_passes_the_gate(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. look", 0.9))
    assert await piped("90% a.md") == "passed"


async def test_the_block_is_neither_shown_nor_forwarded(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. look"), sure("It is good."))
    await piped("90% a.md b.md")
    assert "confidence" not in "".join(each.text for each in piped.typed.events.of(TextDelta))


@pytest.mark.usefixtures("others")
async def test_each_step_goes_to_the_model_that_its_file_mentions(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer, others: Others
) -> None:
    (prompts / "b.md").write_text("Check the plan, @Reviewer. Ask @writer later.")
    (prompts / "c.md").write_text("`@code` is code. @writer: write it down.")
    scripted_model.replies(sure("1. look"))
    others.reviewer.replies(sure("It is good."))
    others.writer.replies(sure("Done."))
    before = piped.typed.live.choice.chosen
    assert await piped("90% a.md b.md c.md") == "passed"
    assert (scripted_model.chats[-1].model, others.reviewer.chats[-1].model, others.writer.chats[-1].model) == (
        "llama3:latest",
        "qwen3:4b",
        "gemma3:4b",
    )
    assert asked(others.reviewer)[-1] == instructed("1. look\n\n---\n\nCheck the plan, @Reviewer. Ask @writer later.")
    speakers = [each.speaker.name for each in piped.typed.events.of(RunStarted) if each.speaker]
    assert speakers == ["Harvey", "reviewer", "writer"]
    assert piped.typed.live.choice.chosen is before


async def test_a_mention_may_name_a_model_of_the_active_server(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "a.md").write_text("@llama3 plan it.\n")
    scripted_model.replies(sure("1. look"))
    assert await piped("90% a.md") == "passed"
    assert scripted_model.chats[-1].model == "llama3:latest"


async def test_the_same_file_may_be_sent_twice(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one"), sure("two"))
    assert await piped("90% a.md a.md") == "passed"
    assert asked(scripted_model)[-1] == instructed("one\n\n---\n\nPlan it.")
    assert [step.address for step in piped.steps] == ["a.md", "a.md%2"]


async def test_a_path_with_a_space_is_quoted_as_in_a_shell(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "my prompts").mkdir()
    (prompts / "my prompts" / "first one.md").write_text("Plan it.")
    scripted_model.replies(sure("1. look"))
    assert await piped("90% 'my prompts/first one.md'") == "passed"
    assert piped.history[0] == ("user", "/pipeline 90% 'my prompts/first one.md'")


async def test_declared_variables_fill_the_files_once_and_others_stay(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "a.md").write_text("About {{topic}} and {{other}}.")
    scripted_model.replies(sure("x"))
    assert await piped("--var 'topic={{other}} rivers' --var unused=1 90% a.md") == "passed"
    assert asked(scripted_model)[-1] == instructed("About {{other}} rivers and {{other}}.")
    assert piped.typed.notes[0] == "a.md is sent with {{other}} as it is; --var other=… fills it"


async def test_without_variables_the_body_is_sent_as_it_is(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    body = "  Keep {{this}},\n\n```\n@nobody\n```\n\tand this: \\@x a@b.c\n"
    (prompts / "a.md").write_text(body)
    scripted_model.replies(sure("x"))
    assert await piped("90% a.md") == "passed"
    assert asked(scripted_model)[-1] == instructed(body)


async def test_a_file_that_changes_after_the_preflight_is_sent_as_it_was(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    def changing(_: object) -> Reply:
        (prompts / "b.md").write_text("Something else.")
        return sure("1. look")

    scripted_model.replies(changing, sure("ok"))
    assert await piped("90% a.md b.md") == "passed"
    assert asked(scripted_model)[-1] == instructed("1. look\n\n---\n\nCheck the plan.")
