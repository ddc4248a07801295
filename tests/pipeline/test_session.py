"""`/pipeline` in a session, beside its runs: looking first, completion, the seeds' examples."""

import shutil
from pathlib import Path

import msgspec
import pytest

from onbook.pipeline.call import PipelineCall
from onbook.pipeline.rehearsal import rehearse
from onbook.pipeline.runner import run_pipeline
from tests.pipeline.conftest import Others, Pipeline, asked, sure
from tests.scripted import Reply, ScriptedServer

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "prompts"


@pytest.fixture
def examples(workspace: Path) -> Path:
    """The prompts of the examples, of which two name their models."""
    shutil.copytree(EXAMPLES, workspace, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".onbook"))
    for file, name in (("review", "reviewer"), ("step1", "reviewer"), ("summarise", "writer"), ("finalise", "writer")):
        path = workspace / f"{file}.md"
        path.write_text(f"@{name}\n\n{path.read_text()}")
    return workspace


@pytest.mark.usefixtures("others", "examples")
@pytest.mark.parametrize("words", ["85% review.md summarise.md", "90% setup.md step1.md step2.md finalise.md"])
async def test_the_seeds_examples_pass_on_three_models(
    piped: Pipeline, scripted_model: ScriptedServer, others: Others, words: str
) -> None:
    for server in (scripted_model, others.reviewer, others.writer):
        server.rule(lambda _: True, sure(f"Said on {server.openai_url}."))
    assert await piped(words) == "passed"
    assert piped.history[-1] == ("assistant", f"Said on {others.writer.openai_url}.")
    assert len(piped.steps) == len(words.split()) - 1


@pytest.mark.usefixtures("others")
async def test_a_dry_run_shows_what_would_be_sent_and_to_whom_and_sends_nothing(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer, others: Others
) -> None:
    (prompts / "b.md").write_text("@reviewer check it.")
    assert await piped("--dry-run 90% a.md b.md") == "passed"
    assert piped.typed.text.splitlines() == [
        "Step 1/2 [a.md] to llama3:latest (the active model: onbook.toml)",
        "  about 56 tokens | context ? | stops below 0.90 (ask)",
        *("  (system)", "    Be brief."),
        *("  (user)", "    Plan it."),
        "  (hidden confidence instruction)",
        "    ---",
        "    After your response, append the following JSON block on its own line.",
        "    Do not include any text after the block.",
        '    {"confidence": 0.0-1.0, "reason": "one-line rationale"}',
        "Step 2/2 [b.md] to qwen3:4b (@reviewer in the file)",
        "  about 65 tokens and the reply of step 1 | context ? | stops below 0.90 (ask)",
        *("  (system)", "    Be brief."),
        *("  (user)", "    <reply of step 1>", "", "    ---", "", "    @reviewer check it."),
        "  (hidden confidence instruction)",
        "    ---",
        "    After your response, append the following JSON block on its own line.",
        "    Do not include any text after the block.",
        '    {"confidence": 0.0-1.0, "reason": "one-line rationale"}',
    ]
    assert not scripted_model.chats + others.reviewer.chats
    assert piped.history == []


async def test_a_dry_run_says_in_json_just_what_would_be_sent(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    rehearsal = await rehearse(piped.typed.live, PipelineCall.of(["90%", "a.md", "b.md"]), "the bug")
    first, second = (msgspec.json.decode(line) for line in rehearsal.json_lines())
    scripted_model.replies(sure("<reply of step 1>"), sure("ok"))
    await run_pipeline(piped.typed.live, PipelineCall.of(["90%", "a.md", "b.md"]), "the bug")
    for step, number in ((first, 0), (second, 1)):
        assert [(each["role"], each["text"]) for each in step["messages"]] == asked(scripted_model, number)
    assert (first["model"], first["threshold"], first["instructed"]) == ("llama3:latest", 0.9, True)


async def test_percentages_are_offered_first_and_markdown_files_after_them(piped: Pipeline, prompts: Path) -> None:
    (prompts / "notes.txt").write_text("")
    (prompts / "my prompts").mkdir()
    (prompts / "my prompts" / "d e.md").write_text("")
    assert await piped.typed.offered("/pipeline 9") == ["90%", "95%"]
    offered = await piped.typed.offered("/pipeline 90% ")
    assert offered[:5] == ["AGENTS.md", "a.md", "b.md", "c.md", "my prompts/"]
    assert "notes.txt" not in offered
    assert await piped.typed.offered("/pipeline 90% a.md 'my prompts/") == ["my prompts/d e.md"]
    assert await piped.typed.offered("/pipeline --confidence-method l") == ["logprobs"]


async def test_without_a_step_that_needs_it_no_active_model_is_looked_for(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "a.md").write_text("@scripted plan it.")
    scripted_model.replies(sure("1. look"))
    piped.typed.live.choice.chosen = None
    assert await piped("90% a.md") == "passed"
    assert piped.typed.live.choice.chosen is None


async def test_samples_forward_the_reply_that_agrees_most_and_send_no_instruction(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("blue"), Reply("blue"), Reply("blue"))
    assert await piped("--confidence-method samples:3 90% a.md") == "passed"
    assert [asked(scripted_model, number)[-1] for number in range(3)] == [("user", "Plan it.")] * 3
    assert piped.history[0] == ("user", "/pipeline --confidence-method samples:3 90% a.md")
