"""`/role`: the part that the model plays."""

from pathlib import Path

import pytest

from onbook.outcome import Outcome
from tests.commands.conftest import Typed
from tests.scripted import ScriptedServer

ROLES = """
[[roles]]
name = "critic"
system = "Find what is wrong."
welcome = "Show me."
temperature = 0.2
tools = ["read_file"]

[[roles]]
name = "other"
model = "elsewhere"

[[roles]]
name = "lost"
model = "nowhere"

[[routes]]
name = "elsewhere"
url = "http://127.0.0.1:1/v1"
model = "other-model"
"""


@pytest.fixture(autouse=True)
def _roles(workspace: Path) -> None:
    (workspace / "onbook.toml").write_text(ROLES)


async def test_a_role_brings_its_instruction_its_temperature_and_its_tools(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await typed("/role critic")
    assert typed.text == "critic, temperature 0.2, tools read_file\nShow me.\n"
    await typed("hello")
    request = scripted_model.chats[-1]
    assert request.messages[0]["content"].endswith("## Role\n\nFind what is wrong.")
    assert request.body["temperature"] == 0.2
    assert [tool["function"]["name"] for tool in request.body["tools"]] == ["read_file"]


async def test_without_a_role_everything_is_as_before(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("/role CRITIC")
    await typed("/role none")
    assert typed.text == "no role\n"
    await typed("hello")
    request = scripted_model.chats[-1]
    assert request.messages[0]["role"] == "user"
    assert "temperature" not in request.body
    assert len(request.body["tools"]) > 1


async def test_a_role_brings_its_model_and_takes_it_away_again(typed: Typed) -> None:
    before = typed.live.choice.chosen
    await typed("/role other")
    assert typed.live.choice.chosen is not None
    assert typed.live.choice.chosen.model == "other-model"
    await typed("/role critic")
    assert typed.live.choice.chosen is before


async def test_a_model_that_was_chosen_since_stays(typed: Typed) -> None:
    await typed("/role other")
    await typed("/model scripted")
    chosen = typed.live.choice.chosen
    await typed("/role none")
    assert typed.live.choice.chosen is chosen


async def test_a_role_whose_model_is_not_found_changes_nothing(typed: Typed) -> None:
    await typed("/role critic")
    assert await typed("/role lost") is Outcome.USAGE
    assert typed.live.part.role is not None
    assert typed.live.part.role.name == "critic"


async def test_roles_are_listed_and_completed(typed: Typed) -> None:
    await typed("/role critic")
    await typed("/role list")
    assert typed.text.splitlines()[0] == "* critic, temperature 0.2, tools read_file"
    assert await typed.offered("/role c") == ["critic"]
    assert await typed("/role crtic") is Outcome.USAGE
    assert typed.error == "no role crtic; did you mean critic?"
