"""Flows whose prompts must be sure enough: the gate, what is told of it, and what a resume does again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from onbook.confidence.instruction import INSTRUCTION
from onbook.config.confidence_settings import method_of
from onbook.events import (
    ConfidenceRead,
    Event,
    Note,
    Reading,
    RunFinished,
    RunStarted,
    StepFinished,
    StepStarted,
    TextDelta,
)
from onbook.flow.data import Small
from onbook.flow.engine import Result
from onbook.flow.prompt_actor import PromptActor
from onbook.flow.prompt_files import filled
from onbook.flow.resuming import resume_run
from onbook.flow.runner import Runner
from onbook.flow.steps import Flow, Foreach, Once, Prompt
from onbook.flow.world import BelowThreshold
from onbook.journal.reading import all_runs, one_run
from onbook.outcome import OnbookError, Outcome
from onbook.session.attachments import Prompt as Said
from onbook.session.live import Live
from tests.commands.conftest import Typed, typed  # noqa: F401 - a fixture
from tests.scripted import Reply, Request, ScriptedServer, Status
from tests.session.conftest import Events

E = TypeVar("E", bound=Event)
LINE = "/pipeline 85% a.md b.md"


def sure(text: str, score: float) -> Reply:
    return Reply(f'{text}\n\n{{"confidence": {score}, "reason": "told"}}', usage=(10, 5))


@pytest.fixture(autouse=True)
def _files(workspace: Path, scripted_model: ScriptedServer) -> None:
    route = f'[[routes]]\nname = "reviewer"\nurl = "{scripted_model.openai_url}"\nmodel = "qwen3:4b"\n'
    (workspace / "onbook.toml").write_text(route)
    (workspace / "AGENTS.md").write_text("Be brief.")
    (workspace / "a.md").write_text("Say a.\n")
    (workspace / "b.md").write_text("Say b.\n")


class Played:
    """`await played("a.md", "b.md", at="90%")` runs a chain of prompts; with `again` it resumes a run."""

    def __init__(self, live: Live) -> None:
        self.live = live
        self.events = Events()

    async def __call__(
        self,
        *files: str,
        at: str | None = "85%",
        given: str = "",
        again: str = "",
        method: str = "ask",
        **prompt: Any,
    ) -> Result:
        live = self.live
        actors = [Prompt(file, confidence=at, with_history=not number, **prompt) for number, file in enumerate(files)]
        flow = Flow(" ".join(files), "prompts", tuple(Once(each.file, each) for each in actors))
        actor = await PromptActor.of(flow, live.chat, live.door, method=method_of(method))
        self.events.seen.clear()
        runner = Runner(live.root, live.door, self.events, live.environ, actors={Prompt: actor}, told=LINE)
        if again:
            return await resume_run(runner, flow, again)
        return await runner.run(flow, Small(given.encode()), record=True, call='{"confidence":"85%"}')

    def of(self, kind: type[E]) -> list[E]:
        return self.events.of(kind)

    @property
    def run(self) -> str:
        return all_runs(self.live.root)[0].id

    @property
    def told(self) -> list[str]:
        return [note.text for note in self.of(Note)]

    @property
    def steps(self) -> dict[str, StepFinished]:
        return {each.address: each for each in self.of(StepFinished)}


@pytest.fixture
def played(typed: Typed) -> Played:  # noqa: F811
    return Played(typed.live)


async def test_a_chain_that_is_sure_passes_and_says_so_in_order(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.9), sure("two", 0.85))
    result = await played("a.md", "b.md")
    assert result.outcome is Outcome.PASSED
    assert result.output is not None
    assert result.output.read() == b"two\n"
    assert [type(each) for each in played.events.seen if not isinstance(each, TextDelta)] == [
        RunStarted,
        *[StepStarted, RunStarted, ConfidenceRead, RunFinished, StepFinished] * 2,
        RunFinished,
    ]


async def test_the_run_is_told_with_the_line_that_started_it_and_what_all_steps_cost(
    played: Played, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("one", 0.9), Reply("two", usage=(10, 5)), Reply("CONFIDENCE: 0.9", usage=(30, 2)))
    await played("a.md", "b.md")
    started, finished = played.of(RunStarted)[0], played.of(RunFinished)[-1]
    assert (started.kind, started.name, started.input) == ("pipeline", "a.md b.md", LINE)
    assert (finished.text, finished.totals.prompt_tokens, finished.totals.completion_tokens) == ("two", 50, 12)
    assert finished.totals.money == 0.0


async def test_a_prompt_says_which_step_it_is_for(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.9), sure("two", 0.9))
    await played("a.md", "b.md", given="some words\n")
    whole, first, second = played.of(RunStarted)
    assert first.input == "some words\n\n---\n\nSay a.\n"
    assert second.step is not None
    assert (second.input, second.step.body) == ("one\n\n---\n\nSay b.\n", "Say b.\n")
    assert (second.step.within, second.step.address, second.step.file) == (whole.run, "b.md", "b.md")
    assert (second.step.index, second.step.total, second.step.instructed) == (2, 2, True)


async def test_only_the_first_step_knows_the_conversation(played: Played, scripted_model: ScriptedServer) -> None:
    played.live.chat.conversation.add(Said("hello"), "good morning")
    scripted_model.replies(sure("one", 0.9), sure("two", 0.9))
    await played("a.md", "b.md")
    first, second = ([(each["role"], each["content"]) for each in request.messages] for request in scripted_model.chats)
    assert first == [
        ("system", "Be brief."),
        ("user", "hello"),
        ("assistant", "good morning"),
        ("user", f"Say a.\n\n\n{INSTRUCTION}"),
    ]
    assert second == [("system", "Be brief."), ("user", f"one\n\n---\n\nSay b.\n\n\n{INSTRUCTION}")]


async def test_a_step_below_the_threshold_stops_the_chain(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.84))
    result = await played("a.md", "b.md")
    assert isinstance(result.error, BelowThreshold)
    assert result.outcome is Outcome.BELOW_THRESHOLD
    step, finished = played.steps["a.md"], played.of(RunFinished)[-1]
    assert (step.outcome, step.reading, step.threshold) == ("below_threshold", Reading(0.84, "block", "told"), 0.85)
    assert step.error == "confidence 0.84 below threshold 0.85"
    assert finished.error == "pipeline stopped at step 1/2: confidence 0.84 below threshold 0.85"
    assert (finished.exit_code, finished.text) == (3, "")
    assert len(scripted_model.chats) == 1


async def test_deep_inside_a_workflow_the_gate_stops_all_of_it(played: Played, scripted_model: ScriptedServer) -> None:
    live = played.live
    flow = Flow("w", "workflow", (Foreach("each", ".+", (Once("judge", Prompt("a.md", confidence="85%")),)),))
    actor = await PromptActor.of(flow, live.chat, live.door)
    scripted_model.replies(sure("one", 0.9), sure("two", 0.846))
    runner = Runner(live.root, live.door, played.events, live.environ, actors={Prompt: actor})
    result = await runner.run(flow, Small(b"x\ny\nz\n"), record=True)
    assert str(result.error) == "workflow stopped at step 1/1: confidence 0.846 below threshold 0.850"
    assert [each.outcome for each in played.of(StepFinished)] == ["passed", "passed", *["below_threshold"] * 3]
    assert played.steps["each/each[2]/judge"].reading == Reading(0.846, "block", "told")
    assert played.of(RunFinished)[-1].totals.prompt_tokens == 20


async def test_a_reading_is_told_with_its_threshold_when_it_passes_too(
    played: Played, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("one", 0.9))
    await played("a.md")
    (read,) = played.of(ConfidenceRead)
    assert (read.score, read.method, read.reason, read.threshold) == (0.9, "block", "told", 0.85)
    assert played.steps["a.md"].reading == Reading(0.9, "block", "told")


async def test_without_a_confidence_nobody_asks_for_one(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.1))
    result = await played("a.md", at=None)
    assert result.output is not None
    assert result.output.read().endswith(b'{"confidence": 0.1, "reason": "told"}\n')
    assert scripted_model.chats[0].said == "Say a.\n"
    assert not played.of(ConfidenceRead)


async def test_a_long_reply_is_told_whole(played: Played, scripted_model: ScriptedServer) -> None:
    long = "word " * 20_000 + "end"
    scripted_model.replies(Reply(deltas=(long, '\n{"confidence": 0.9}')))
    await played("a.md")
    assert played.of(RunFinished)[-1].text == long


async def test_of_samples_the_one_that_goes_on_is_the_run_s_text(
    played: Played, scripted_model: ScriptedServer
) -> None:
    played.live.chat.options = {"seed": 1}
    for seed, text in ((1, "Oslo."), (2, "Paris it is."), (3, "Paris it is!")):
        scripted_model.rule(_seeded(seed), Reply(text))
    await played("a.md", at="1%", method="samples:3")
    assert "".join(each.text for each in played.of(TextDelta)) == "Oslo."
    assert [each.text for each in played.of(RunFinished)] == ["Paris it is."] * 2
    assert "not the reply that was shown goes on, but the one that agrees most with all" in played.told


async def test_a_window_is_looked_up_once_and_the_share_of_it_is_told(
    played: Played, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "b.md").write_text("Say b, @reviewer.\n")
    scripted_model.rule(
        lambda _: True,
        Status(200, {"data": [{"id": name, "context_length": 1000} for name in ("llama3:latest", "qwen3:4b")]}),
        path="/v1/models",
    )
    scripted_model.replies(sure("one", 0.9), sure("two", 0.9), sure("three", 0.9))
    await played("a.md", "b.md", "a.md")
    shares = [each.step.context_used for each in played.of(RunStarted) if each.step is not None]
    assert all(share is not None and 0 < share < 0.2 for share in shares)
    assert sum(each.path == "/v1/models" for each in scripted_model.requests) == 2


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (("a.md", "gone.md"), 'pipeline: cannot read "gone.md": it does not exist'),
        (
            ("a.md", "lost.md"),
            'pipeline: @mention "nobody" did not resolve to a known model, in lost.md; '
            "`onbook model list` shows what there is; \\@nobody is the word itself",
        ),
    ],
)
async def test_what_is_missing_is_said_in_the_seed_s_words_before_anything_is_sent(
    played: Played, scripted_model: ScriptedServer, workspace: Path, files: tuple[str, ...], words: str
) -> None:
    (workspace / "lost.md").write_text("@nobody, look.")
    with pytest.raises(OnbookError) as caught:
        await played(*files)
    assert str(caught.value) == words
    assert not scripted_model.chats


async def test_a_backend_that_is_known_to_give_no_logprobs_is_refused_before_anything_is_sent(
    played: Played, scripted_model: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = await played.live.choice.current()
    monkeypatch.setattr(model.backend, "gives_logprobs", False)
    with pytest.raises(OnbookError, match="pipeline: scripted gives no log-probabilities"):
        await played("a.md", method="logprobs")
    assert not scripted_model.chats


async def test_a_variable_is_filled_in_and_what_is_none_stays(
    played: Played, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "a.md").write_text("On {{topic}}, {{ topic }} and {{other}}.")
    scripted_model.replies(sure("one", 0.9))
    await played("a.md", variables=(("topic", "@nobody and {{topic}}"),))
    assert scripted_model.chats[0].said.startswith("On @nobody and {{topic}}, {{ topic }} and {{other}}.")


@settings(max_examples=60)
@drawn(st.dictionaries(st.sampled_from("abc"), st.text("{}ab", max_size=8)), st.lists(st.sampled_from("abcd{}")))
def test_values_are_never_looked_at_again(values: dict[str, str], names: list[str]) -> None:
    text = "|".join(f"{{{{{name}}}}}" for name in names if name not in "{}")
    expected = "|".join(values.get(name, f"{{{{{name}}}}}") for name in names if name not in "{}")
    assert filled(text, values) == expected


async def test_a_resume_asks_only_what_was_not_finished(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.9), sure("two", 0.5), sure("two again", 0.9))
    await played("a.md", "b.md")
    run = played.run
    result = await played("a.md", "b.md", again=run)
    assert result.outcome is Outcome.PASSED
    assert len(scripted_model.chats) == 3
    first = played.steps["a.md"]
    assert (first.reused, first.reading, first.threshold) == (True, Reading(0.9, "block", "told"), 0.85)
    assert played.of(RunFinished)[-1].totals.prompt_tokens == 10
    assert played.told == [
        f"resumed {run}: 1 step taken from the journal, 1 run",
        "run again, below the threshold: b.md",
    ]


async def test_a_lower_threshold_takes_the_reply_that_was_not_enough(
    played: Played, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(sure("one", 0.9), sure("two", 0.5))
    await played("a.md", "b.md")
    result = await played("a.md", "b.md", at="50%", again=played.run)
    assert result.output is not None
    assert result.output.read() == b"two\n"
    assert len(scripted_model.chats) == 2
    run, instances = one_run(played.live.root, played.run)
    assert (run.outcome, run.call) == ("passed", '{"confidence":"85%"}')
    assert [(each.outcome, each.error) for each in instances] == [("passed", ""), ("passed", "")]


async def test_a_higher_threshold_asks_again_what_is_below_it(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.9), sure("two", 0.5), sure("one", 0.99), sure("two", 0.96))
    await played("a.md", "b.md")
    await played("a.md", "b.md", at="95%", again=played.run)
    assert played.of(RunFinished)[-1].outcome == "passed"
    assert "run again, below the threshold: a.md, b.md" in played.told


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda played: (played.live.root / "a.md").write_text("Say x.\n"), "file"),
        (lambda played: (played.live.root / "a.md").write_text("Say a, @reviewer.\n"), "file and model"),
        (lambda played: played.live.chat.conversation.sections.update(Role="Be loud."), "instruction"),
        (lambda played: played.live.chat.conversation.add(Said("hello"), "hi"), "history"),
        (lambda played: played.live.chat.options.update(temperature=1.0), "setting"),
    ],
)
async def test_what_has_changed_is_asked_again_and_named(
    played: Played, scripted_model: ScriptedServer, change: Any, what: str
) -> None:
    played.live.chat.options = {}
    scripted_model.replies(sure("one", 0.9), sure("two", 0.5), sure("one", 0.9), sure("two", 0.9))
    await played("a.md", "b.md")
    change(played)
    await played("a.md", "b.md", again=played.run)
    assert len(scripted_model.chats) == 4
    assert any(each.startswith(f"run again, with another {what}: a.md") for each in played.told)


async def test_another_method_is_another_question(played: Played, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(sure("one", 0.5), Reply("one"), Reply("one"))
    await played("a.md")
    await played("a.md", method="samples:2", at="20%", again=played.run)
    assert len(scripted_model.chats) == 3


async def test_a_reading_that_nobody_wrote_is_not_believed(played: Played, scripted_model: ScriptedServer) -> None:
    import sqlite3

    scripted_model.replies(sure("one", 0.5), sure("one", 0.9))
    await played("a.md")
    with sqlite3.connect(played.live.root / ".onbook" / "journal.sqlite") as database:
        database.execute("UPDATE instances SET remark = 'sure'")
    database.close()
    await played("a.md", at="10%", again=played.run)
    assert len(scripted_model.chats) == 2


def _seeded(seed: int) -> Callable[[Request], bool]:
    return lambda request: bool(request.body["seed"] == seed)
