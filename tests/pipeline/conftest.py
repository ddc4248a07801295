"""A session with three models on three servers, and prompt files to send through them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from onbook.confidence.instruction import with_instruction
from onbook.events import RunFinished, RunStarted, StepFinished
from tests.commands.conftest import Typed, typed  # noqa: F401 - a fixture
from tests.scripted import Reply, ScriptedServer

ROUTE = """
[[routes]]
name = "{name}"
url = "{url}"
model = "{model}"
"""


def sure(text: str, score: float = 0.95) -> Reply:
    """A reply that says itself how sure it is."""
    return Reply(f'{text}\n\n{{"confidence": {score}, "reason": "checked"}}')


@dataclass(frozen=True)
class Others:
    """The servers besides the active one."""

    reviewer: ScriptedServer
    writer: ScriptedServer


@pytest.fixture
def others(user_settings: Path, scripted_model: ScriptedServer) -> Iterator[Others]:
    with ScriptedServer() as reviewer, ScriptedServer() as writer, user_settings.open("a") as file:
        file.write(ROUTE.format(name="reviewer", url=reviewer.openai_url, model="qwen3:4b"))
        file.write(ROUTE.format(name="writer", url=writer.openai_url, model="gemma3:4b"))
        file.flush()
        yield Others(reviewer, writer)


@pytest.fixture
def prompts(workspace: Path) -> Path:
    """`a.md`, `b.md` and `c.md`, and an instruction for every model."""
    (workspace / "AGENTS.md").write_text("Be brief.")
    for name, text in (("a", "Plan it."), ("b", "Check the plan."), ("c", "Write it down.")):
        (workspace / f"{name}.md").write_text(text)
    return workspace


@dataclass
class Pipeline:
    """`await piped("90% a.md b.md")` is `/pipeline 90% a.md b.md`; what it led to is in `typed`."""

    typed: Typed

    async def __call__(self, words: str) -> str:
        return (await self.typed(f"/pipeline {words}")).value

    @property
    def run(self) -> RunFinished:
        """How the pipeline ended."""
        runs = {each.run for each in self.typed.events.of(RunStarted) if each.kind == "pipeline"}
        return next(each for each in self.typed.events.of(RunFinished) if each.run in runs)

    @property
    def steps(self) -> list[StepFinished]:
        return self.typed.events.of(StepFinished)

    @property
    def history(self) -> list[tuple[str, str]]:
        return [(each.role, each.text) for each in self.typed.live.chat.conversation.history]


@pytest.fixture
def piped(prompts: Path, typed: Typed) -> Pipeline:  # noqa: F811
    return Pipeline(typed)


def asked(server: ScriptedServer, number: int = -1) -> list[tuple[str, str]]:
    """The messages of one request."""
    return [(each["role"], each["content"]) for each in server.chats[number].messages]


def instructed(text: str) -> tuple[str, str]:
    """What the user says, with the hidden instruction."""
    return "user", with_instruction(text)
