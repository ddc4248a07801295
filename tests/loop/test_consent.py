"""Nobody is asked anything while a loop runs: what must be asked is asked once, before it."""

import json
from pathlib import Path

import pytest
import pytest_asyncio

from onbook.events import StepStarted, ToolFinished
from onbook.outcome import Outcome
from tests.conftest import write_script
from tests.loop.conftest import Looped
from tests.policy.conftest import Person
from tests.scripted import Reply, ScriptedServer, Status, ToolCall

SETTINGS = """
[[roles]]
name = "developer"
pipeline = "shouting"

[[pipelines]]
name = "shouting"
[[pipelines.steps]]
name = "shout"
command = "./scripts/shout.sh"
"""


@pytest.fixture
def _role(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(SETTINGS)
    write_script(workspace / "scripts" / "shout.sh", "tr a-z A-Z")


@pytest_asyncio.fixture
async def person(_role: None, looped: Looped) -> Person:
    """Somebody who says yes, for this time, in a session that plays the role."""
    await looped.typed("/role use developer")
    person = looped.typed.live.door.asker = Person("once")
    return person


async def test_what_a_role_starts_is_asked_once_before_the_first_iteration(
    person: Person, looped: Looped, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Status(400, {"error": {"message": "no"}}))  # so that the second message is a first one too
    assert await looped("5m --count 3 fix it") is Outcome.PASSED
    assert len(person.asked) == 1
    assert [chat.last for chat in scripted_model.chats] == ["FIX IT", "FIX IT", "fix it"]


async def test_a_yes_for_this_time_ends_with_the_loop(
    person: Person, looped: Looped, scripted_model: ScriptedServer
) -> None:
    await looped("5m --count 1 fix it")
    assert looped.typed.live.door.answers.for_session == ()


async def test_a_no_ends_the_loop_before_it_has_begun(
    person: Person, looped: Looped, scripted_model: ScriptedServer
) -> None:
    looped.typed.live.door.asker = Person("no")
    assert await looped("5m fix it") is Outcome.FAILED
    assert not looped.typed.seen.of(StepStarted)
    assert not scripted_model.chats
    assert isinstance(looped.typed.live.door.asker, Person)


async def test_what_a_model_asks_for_in_mid_run_is_refused_and_said(
    looped: Looped, scripted_model: ScriptedServer, workspace: Path
) -> None:
    wish = Reply(tool_calls=(ToolCall("c1", "write_file", json.dumps({"path": "made.txt", "content": "x"})),))
    scripted_model.replies(wish, Reply("I could not."), wish, Reply("Again not."))
    person = looped.typed.live.door.asker = Person("once")
    assert await looped("5m --count 2 write it") is Outcome.PASSED
    refusals = looped.typed.seen.of(ToolFinished)
    assert [refusal.ok for refusal in refusals] == [False, False]
    assert "there is nobody to ask" in refusals[0].result
    assert not person.asked
    assert looped.typed.live.door.asker is person
    assert not (workspace / "made.txt").exists()


async def test_files_in_a_reply_are_not_offered(
    looped: Looped, scripted_model: ScriptedServer, workspace: Path
) -> None:
    scripted_model.replies(Reply("```text made.txt\nx\n```"))
    person = looped.typed.live.door.asker = Person("once")
    await looped("5m --count 1 show it")
    assert not person.asked
    assert not (workspace / "made.txt").exists()
