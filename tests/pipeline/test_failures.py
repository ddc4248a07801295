"""Every way in which a pipeline ends badly: its words, its outcome, and a session that is as it was."""

from pathlib import Path

import pytest

from onbook.config.budget_settings import BudgetSettings
from onbook.events import RunFinished, TextDelta
from tests.pipeline.conftest import Pipeline, asked, sure
from tests.scripted import Answer, Cut, ErrorInStream, Reply, ScriptedServer, Status, Times, known_errors

BLOCK = '{"confidence": 0.95, "reason": "checked"}'


async def test_a_step_below_the_threshold_stops_the_pipeline(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. look"), sure("Well.", 0.72))
    assert await piped("90% a.md b.md c.md") == "below_threshold"
    assert piped.run.error == "pipeline stopped at step 2/3: confidence 0.72 below threshold 0.90"
    assert piped.run.exit_code == 3
    assert (piped.steps[-1].outcome, piped.steps[-1].threshold) == ("below_threshold", 0.9)
    assert piped.history == []
    assert len(scripted_model.chats) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("90% a.md gone.md", 'pipeline: cannot read "gone.md": it does not exist'),
        ("90% a.md ../out.md", 'pipeline: cannot read "../out.md": it leads out of the workspace'),
        ("90% a.md link.md", 'pipeline: cannot read "link.md": it is a link that leads out of the workspace'),
        ("90% a.md binary.md", 'pipeline: cannot read "binary.md": it is not UTF-8 text'),
        ("90% a.md zero.md", 'pipeline: cannot read "zero.md": it is binary'),
        ("90% a.md empty.md", 'pipeline: cannot read "empty.md": it is empty'),
        ("90% a.md folder", 'pipeline: cannot read "folder": it is a folder, not a file'),
        ("90% a.md huge.md", 'pipeline: cannot read "huge.md": it is larger than 1 MiB'),
        (
            "90% a.md lost.md",
            'pipeline: @mention "nobody" did not resolve to a known model, in lost.md; `onbook model list`',
        ),
        ("90 a.md", 'pipeline: "90" is not a confidence: write it as 90%'),
        ("-5% a.md", 'pipeline: "-5%" is not a confidence: write a percentage above 0 and up to 100, as in 85%'),
        ("90%", "pipeline: no file to send: write CONFIDENCE% FILE…, as in 85% review.md summarise.md"),
        ("--confidence-method guess 90% a.md", "guess"),
        ("--var topic 90% a.md", 'pipeline: --var "topic": write name=value'),
    ],
)
async def test_what_is_wrong_beforehand_is_said_in_one_line_and_nothing_is_sent(
    piped: Pipeline, prompts: Path, tmp_path: Path, scripted_model: ScriptedServer, words: str, said: str
) -> None:
    (tmp_path / "out.md").write_text("outside")
    (prompts / "link.md").symlink_to(tmp_path / "out.md")
    (prompts / "binary.md").write_bytes(b"\xff\xfe")
    (prompts / "zero.md").write_bytes(b"a\0b")
    (prompts / "empty.md").write_text(" \n")
    (prompts / "folder").mkdir()
    with (prompts / "huge.md").open("wb") as huge:
        huge.truncate(50 << 20)
    (prompts / "lost.md").write_text("Ask @nobody.")
    assert await piped(words) == "usage"
    assert said in piped.typed.error
    assert "\n" not in piped.typed.error
    assert not scripted_model.chats
    assert piped.history == []
    assert not (prompts / ".onbook" / "journal.sqlite").exists()


@pytest.mark.parametrize(
    ("answer", "said", "code"),
    [
        (known_errors.openai_overflow(), "pipeline: step 2 context limit exceeded", 5),
        (known_errors.llama_cpp_overflow_in_stream(), "pipeline: step 2 context limit exceeded", 5),
        (known_errors.ollama_out_of_memory(), "pipeline: step 2 context limit exceeded", 5),
        (Reply("  \n"), "pipeline: step 2 returned nothing", 5),
        (Reply(BLOCK), "pipeline: step 2 returned nothing", 5),
        (Reply(f"{BLOCK}\n\n{BLOCK}"), "pipeline: step 2 returned nothing", 5),
        (known_errors.openai_rate_limited("3600"), "pipeline: step 2: scripted: rate limited: ", 5),
        (known_errors.openai_unauthorized(), "pipeline: step 2: scripted: refused: ", 5),
        (known_errors.openai_model_not_found(), "pipeline: step 2: scripted: model not found: ", 2),
        (Status(400, {"error": {"message": "no"}}), "pipeline: step 2: scripted: request rejected: no", 5),
        (ErrorInStream({"error": {"message": "x", "code": 500}}), "pipeline: step 2: scripted: overloaded: ", 5),
        (Cut(4, Reply(f"It is\n\n{BLOCK}")), "pipeline: step 2: scripted: ", 5),
    ],
)
async def test_a_model_that_fails_leaves_the_session_as_it_was(
    piped: Pipeline, scripted_model: ScriptedServer, prompts: Path, answer: Answer, said: str, code: int
) -> None:
    scripted_model.replies(Reply("Hello."), sure("1. look"), answer)
    await piped.typed("hi")
    before, files = piped.history, sorted(path.name for path in prompts.iterdir())
    model = piped.typed.live.choice.chosen
    await piped("90% a.md b.md c.md")
    assert piped.run.error.startswith(said)
    assert piped.run.exit_code == code
    assert piped.run.text == ""
    assert piped.steps[-1].error == piped.run.error
    assert piped.history == before
    assert piped.typed.live.choice.chosen is model
    assert sorted(path.name for path in prompts.iterdir()) == files
    assert "confidence" not in "".join(each.text for each in piped.typed.events.of(TextDelta))


@pytest.fixture
def small_window(user_settings: Path, scripted_model: ScriptedServer) -> None:
    """The active model reads no more than 2,048 tokens."""
    with user_settings.open("a") as file:
        file.write("context = 2048\n")


@pytest.mark.usefixtures("small_window")
async def test_what_the_model_cannot_read_whole_is_not_sent(
    piped: Pipeline, prompts: Path, scripted_model: ScriptedServer
) -> None:
    (prompts / "b.md").write_text("word " * 3000)
    scripted_model.replies(sure("1. look"))
    assert await piped("90% a.md b.md") == "model_failed"
    assert piped.run.error == "pipeline: step 2 context limit exceeded"
    assert len(scripted_model.chats) == 1
    assert any("reads 2048" in note for note in piped.typed.notes)


async def test_a_rate_limit_that_passes_is_waited_for(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Times(2, known_errors.openai_rate_limited("0")), sure("1. look"))
    assert await piped("90% a.md") == "passed"
    assert any(note.startswith("rate limited; trying again") for note in piped.typed.notes)


async def test_a_failed_run_says_how_to_take_it_up_again(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("Well.", 0.5))
    await piped("90% a.md")
    assert any(note.startswith("/pipeline --resume ") for note in piped.typed.notes)


async def test_two_blocks_count_as_the_last_and_both_are_taken_away(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply(f'1. look\n\n{BLOCK}\n\n{{"confidence": 0.91}}'))
    assert await piped("90% a.md") == "passed"
    assert piped.run.text == "1. look"
    assert piped.steps[0].reading is not None
    assert piped.steps[0].reading.score == 0.91


async def test_a_budget_that_is_spent_between_steps_ends_the_run_there(
    piped: Pipeline, scripted_model: ScriptedServer
) -> None:
    piped.typed.live.ledger.limits = BudgetSettings(turns=1)
    scripted_model.replies(sure("1. look"))
    assert await piped("90% a.md b.md") == "budget_spent"
    assert piped.run.exit_code == 6
    assert piped.run.error is not None
    assert "to go on: /pipeline --resume with a larger --budget turns=…" in piped.run.error
    assert piped.history == []


async def test_a_nul_in_a_reply_does_not_stop_the_next_step(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("1. lo\0ok"), sure("Done."))
    assert await piped("90% a.md b.md") == "passed"
    assert asked(scripted_model)[-1][1].startswith("1. lo\N{REPLACEMENT CHARACTER}ok\n")


async def test_the_session_goes_on_after_a_failure(piped: Pipeline, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("Well.", 0.5), Reply("Hello."))
    await piped("90% a.md")
    await piped.typed("hi")
    assert piped.typed.events.of(RunFinished)[-1].text == "Hello."
    assert piped.history == [("user", "hi"), ("assistant", "Hello.")]
