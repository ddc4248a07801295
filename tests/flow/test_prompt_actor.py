"""Steps that a model does."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from onbook.events import Note, RunFinished, RunStarted, TextDelta
from onbook.flow.data import Data, Small
from onbook.flow.prompt_actor import PromptActor
from onbook.flow.steps import Flow, Once, Parallel, Prompt
from onbook.flow.world import Fingerprint, Here, World
from onbook.models.errors import Overloaded
from onbook.outcome import OnbookError, Outcome
from tests.commands.conftest import Typed, typed  # noqa: F401 - a fixture
from tests.scripted import ErrorInStream, Reply, ScriptedServer, Stall

ROUTE = """
[[routes]]
name = "reviewer"
url = "{url}"
model = "qwen3:4b"
"""


@pytest.fixture(autouse=True)
def _settings(workspace: Path, scripted_model: ScriptedServer) -> None:
    (workspace / "onbook.toml").write_text(ROUTE.format(url=scripted_model.openai_url))
    (workspace / "AGENTS.md").write_text("Be brief.\n")
    (workspace / "plan.md").write_text("Make a plan.\n")


class Prompted:
    """`await prompted("a bug\\n", file="plan.md")` is what the step gives."""

    def __init__(self, session: Typed) -> None:
        self.live = session.live
        self.typed = session

    async def __call__(self, given: str | bytes = "", **prompt: Any) -> str:
        definition = Prompt(**{"file": "plan.md", **prompt})
        actor = await PromptActor.of(Flow("w", "workflow", (Once("one", definition),)), self.live.chat, self.live.door)
        world = World(self.live.root, self.live.root, self.live.emit, "run", {Prompt: actor})
        here = Here(world, "w", "one", "one", 1, 1)
        data: Data = Small(given if isinstance(given, bytes) else given.encode())
        return (await actor.perform(definition, data, here)).read().decode()

    def of(self, kind: type[Any]) -> list[Any]:
        return self.typed.seen.of(kind)


@pytest.fixture
def prompted(typed: Typed) -> Prompted:  # noqa: F811
    return Prompted(typed)


async def test_the_model_gets_the_instruction_then_the_input_then_the_file(
    prompted: Prompted, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("1. look\n\n"))
    assert await prompted("fix the bug\n") == "1. look\n"
    (request,) = scripted_model.chats
    assert [(each["role"], each["content"]) for each in request.messages] == [
        ("system", "Be brief.\n"),
        ("user", "fix the bug\n\n---\n\nMake a plan.\n"),
    ]
    assert not request.body.get("tools")


async def test_without_an_input_the_file_stands_alone(prompted: Prompted, scripted_model: ScriptedServer) -> None:
    await prompted("\n")
    assert scripted_model.chats[-1].messages[-1]["content"] == "Make a plan.\n"


async def test_what_was_said_before_is_neither_sent_nor_added_to(
    prompted: Prompted, scripted_model: ScriptedServer
) -> None:
    await prompted.typed("hello")
    before = prompted.live.chat.conversation.history
    await prompted("input")
    assert len(scripted_model.chats[-1].messages) == 2
    assert prompted.live.chat.conversation.history == before


async def test_the_file_chooses_its_model_by_a_mention(
    prompted: Prompted, workspace: Path, scripted_model: ScriptedServer
) -> None:
    (workspace / "ask.md").write_text("@reviewer, look at this.\n")
    await prompted("input", file="ask.md")
    assert scripted_model.chats[-1].model == "qwen3:4b"
    assert scripted_model.chats[-1].messages[-1]["content"].endswith("@reviewer, look at this.\n")


async def test_the_step_s_own_model_goes_before_a_mention(
    prompted: Prompted, workspace: Path, scripted_model: ScriptedServer
) -> None:
    (workspace / "ask.md").write_text("@nobody, look at this.\n")
    await prompted("input", file="ask.md", model="reviewer")
    assert scripted_model.chats[-1].model == "qwen3:4b"


async def test_the_temperature_is_the_step_s(prompted: Prompted, scripted_model: ScriptedServer) -> None:
    prompted.live.chat.options = {"temperature": 1.0, "schema": {"type": "object"}}
    await prompted("input", temperature=0.1)
    body = scripted_model.chats[-1].body
    assert body["temperature"] == 0.1
    assert "response_format" not in body


async def test_an_answer_is_a_run_of_its_own_with_its_speaker_and_its_cost(
    prompted: Prompted, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("a plan", usage=(30, 4)))
    await prompted("input")
    started, finished = prompted.of(RunStarted)[-1], prompted.of(RunFinished)[-1]
    assert (started.kind, started.speaker.name) == ("prompt", "Harvey")
    assert started.run == finished.run != "run"
    assert "".join(each.text for each in prompted.of(TextDelta) if each.run == started.run) == "a plan"
    assert (finished.totals.prompt_tokens, finished.totals.completion_tokens) == (30, 4)
    assert prompted.live.ledger.running.prompt_tokens == 30


async def test_keys_in_the_input_never_reach_the_model(prompted: Prompted, scripted_model: ScriptedServer) -> None:
    await prompted(f"key: sk-ant-{'a1B2' * 12}\n")
    assert "a1B2a1B2" not in scripted_model.chats[-1].messages[-1]["content"]


@pytest.mark.parametrize(
    ("prompt", "words"),
    [
        ({"file": "gone.md"}, 'cannot read "gone.md": it does not exist'),
        ({"file": "../out.md"}, 'cannot read "../out.md"'),
        ({"file": "binary.md"}, 'cannot read "binary.md": it is not UTF-8 text'),
        ({"file": "nul.md"}, 'cannot read "nul.md": it is binary'),
        ({"file": "empty.md"}, 'cannot read "empty.md": it is empty'),
        ({"file": "huge.md"}, 'cannot read "huge.md": it is larger than 1 MiB'),
        ({"file": "lost.md"}, '@mention "nobody" did not resolve to a known model, in lost.md; `onbook model list`'),
        ({"model": "nobody"}, 'model "nobody" did not resolve'),
    ],
)
async def test_what_cannot_be_asked_is_said_before_anything_is_sent(
    prompted: Prompted, workspace: Path, scripted_model: ScriptedServer, prompt: dict[str, str], words: str
) -> None:
    (workspace / "binary.md").write_bytes(b"\xff\xfe")
    (workspace / "nul.md").write_bytes(b"a\0b")
    (workspace / "empty.md").write_text("\n")
    with (workspace / "huge.md").open("wb") as file:
        file.truncate(50 << 20)
    (workspace / "lost.md").write_text("Ask @nobody.\n")
    with pytest.raises(OnbookError) as caught:
        await prompted("input", **prompt)
    assert str(caught.value).startswith(f"workflow w: {words}")
    assert caught.value.outcome is Outcome.USAGE
    assert not scripted_model.chats


async def test_every_prompt_of_a_flow_is_looked_at_before_the_first_is_sent(prompted: Prompted) -> None:
    live = prompted.live
    inner = Parallel("p", (Once("a", Prompt("plan.md")), Once("b", Prompt("gone.md"))))
    with pytest.raises(OnbookError, match=r"gone\.md"):
        await PromptActor.of(Flow("w", "workflow", (inner,)), live.chat, live.door)


@pytest.mark.parametrize(
    ("given", "words"),
    [(b"a\xff\n", r"its input is not UTF-8 text \(byte 2\)"), (b"a\0b", "its input is binary")],
)
async def test_an_input_that_is_no_text_is_not_sent(
    prompted: Prompted, scripted_model: ScriptedServer, given: bytes, words: str
) -> None:
    with pytest.raises(OnbookError, match=words):
        await prompted(given)
    assert not scripted_model.chats


async def test_an_answer_without_a_word_is_a_failure_of_the_model(
    prompted: Prompted, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("  \n"))
    with pytest.raises(OnbookError, match="returned nothing") as caught:
        await prompted("input")
    assert caught.value.outcome is Outcome.MODEL_FAILED


async def test_a_model_that_fails_keeps_its_own_error(prompted: Prompted, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(ErrorInStream({"code": 500, "message": "x"}))
    with pytest.raises(Overloaded):
        await prompted("input")
    assert prompted.of(RunFinished)[-1].outcome == "model_failed"


async def test_an_answer_that_takes_longer_than_its_timeout_is_given_up(
    prompted: Prompted, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Stall())
    with pytest.raises(OnbookError, match=r"scripted: no whole answer within 0\.2 s") as caught:
        await prompted("input", timeout=0.2)
    assert caught.value.outcome is Outcome.MODEL_FAILED
    assert prompted.of(RunFinished)[-1].outcome == "model_failed"


async def test_cancelling_ends_the_answer_and_its_run(prompted: Prompted, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Stall())
    asking = asyncio.create_task(prompted("input"))
    while not prompted.of(TextDelta):
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert prompted.of(RunFinished)[-1].outcome == "cancelled"


async def test_an_answer_that_was_cut_off_goes_on_with_a_warning(
    prompted: Prompted, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Reply("half a pl", finish_reason="length"))
    assert await prompted("input") == "half a pl\n"
    assert "cut off" in prompted.of(Note)[-1].text


async def test_what_an_answer_depends_on_is_in_its_fingerprint(prompted: Prompted, workspace: Path) -> None:
    live, prompt = prompted.live, Prompt("plan.md")

    async def print_now(definition: Prompt = prompt) -> Fingerprint:
        actor = await PromptActor.of(Flow("w", "workflow", (Once("one", definition),)), live.chat, live.door)
        return actor.fingerprint(definition)

    first = await print_now()
    assert await print_now() == first
    live.chat.conversation.sections["Role"] = "Be loud."
    loud = await print_now()
    (workspace / "plan.md").write_text("Make two plans.\n")
    assert len({first, loud, await print_now(), await print_now(Prompt("plan.md", model="reviewer"))}) == 4
