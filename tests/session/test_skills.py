"""Skills in a session: what the model is told, what sets one off, and what it leaves of the tools."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.outcome import UsageError
from onbook.policy.audit import Audit
from onbook.policy.door import Denied, Door
from onbook.session.conversation import Conversation
from onbook.session.skills.skills import Skills
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.tool import ToolFailed
from onbook.session.tools.toolbox import Toolbox
from tests.session.skills import write_skill


class Session:
    """Skills with the real tools behind a real door."""

    def __init__(self, root: Path, environ: Mapping[str, str], state: Path) -> None:
        self.door = Door(root, PolicySettings(), audit=Audit(root, state), environ=environ)
        self.toolbox = Toolbox(builtin_tools(self.door))
        self.conversation = Conversation()
        self.said: list[str] = []
        self.skills = Skills(
            self.door, self.toolbox, self.conversation, environ, lambda text, _: self.said.append(text)
        )

    @property
    def offered(self) -> set[str]:
        return {tool.spec.name for tool in self.toolbox.offered}

    async def call(self, name: str, /, **arguments: Any) -> Any:
        tool = self.toolbox.find(name)
        assert tool is not None, f"{name} is not offered"
        return await tool.run(arguments)


@pytest.fixture
def opened(workspace: Path, environment: dict[str, str], home: Path) -> Any:
    async def open_session() -> Session:
        session = Session(workspace, environment, home / "state")
        await session.skills.open()
        return session

    return open_session


@pytest.fixture
def folder(workspace: Path) -> Path:
    return workspace / ".agents" / "skills"


async def test_the_model_is_told_names_and_descriptions_and_loads_the_body_on_demand(opened: Any, folder: Path) -> None:
    write_skill(folder, "tidy", body="Sweep first.")
    session = await opened()
    assert "- tidy: About tidy." in session.conversation.sections["skills"]
    assert "Sweep" not in session.conversation.system
    assert "Sweep first." in await session.call("load_skill", name="tidy")
    assert session.door.audit.tail()[-1].effect.path == ".agents/skills/tidy/SKILL.md"


async def test_without_skills_the_model_hears_nothing_of_them(opened: Any) -> None:
    session = await opened()
    assert session.conversation.system == ""
    assert "load_skill" not in session.offered


async def test_a_skill_that_does_not_exist_suggests_the_nearest(opened: Any, folder: Path) -> None:
    write_skill(folder, "tidy")
    with pytest.raises(UsageError, match="did you mean tidy"):
        await (await opened()).call("load_skill", name="tydy")


async def test_many_skills_are_listed_as_far_as_there_is_room(opened: Any, folder: Path) -> None:
    for number in range(60):
        write_skill(folder, f"skill-{number:02}", f"long: x\n# {'x' * 900}")
        (folder / f"skill-{number:02}" / "SKILL.md").write_text(f"---\ndescription: {'words ' * 100}\n---\n")
    told = (await opened()).conversation.sections["skills"]
    assert len(told) < 6_300
    assert told.endswith("more, which the user can name")


async def test_a_trigger_loads_the_skill_for_one_turn(opened: Any, folder: Path) -> None:
    write_skill(folder, "release", "trigger: release\nallowed-tools: Read, Bash(git:*)", "Tag it.")
    session = await opened()
    with session.skills.turn():
        (piece,) = await session.skills.for_message("please release it")
        assert (piece.name, "Tag it." in piece.text) == ("skill release", True)
        assert session.offered == {"read_file", "run_command", "git", "load_skill"}
        with pytest.raises(ToolFailed, match="the skill release allows only `git …`"):
            await session.call("run_command", command="ls")
    assert {"write_file", "search_files"} <= session.offered
    assert session.said == [
        "skill release fits and goes with this message; tools until its end: read_file, run_command, git, load_skill"
    ]


async def test_a_message_that_does_not_fit_loads_nothing(opened: Any, folder: Path) -> None:
    write_skill(folder, "release", "trigger: release")
    session = await opened()
    assert await session.skills.for_message("good morning") == ()
    assert session.said == []


async def test_one_message_sets_off_a_few_skills_at_most(opened: Any, folder: Path) -> None:
    for number in range(5):
        write_skill(folder, f"greedy-{number}", "trigger: /./")
    session = await opened()
    assert len(await session.skills.for_message("hello")) == 3
    assert session.said[-1] == "greedy-3, greedy-4 would fit too; /skill load NAME loads one"


async def test_a_skill_the_model_loads_narrows_its_tools_until_the_turn_ends(opened: Any, folder: Path) -> None:
    write_skill(folder, "look", "allowed-tools: [read_file]")
    session = await opened()
    with session.skills.turn():
        await session.call("load_skill", name="look")
        assert session.offered == {"read_file", "load_skill"}
    assert "write_file" in session.offered


async def test_two_skills_leave_only_what_both_allow(opened: Any, folder: Path) -> None:
    write_skill(folder, "one", "allowed-tools: read_file, search_files")
    write_skill(folder, "two", "allowed-tools: read_file, run_command")
    session = await opened()
    await session.skills.load("one")
    await session.skills.load("two")
    assert session.offered == {"read_file", "load_skill"}
    session.skills.drop("one")
    assert session.offered == {"read_file", "run_command", "load_skill"}


async def test_a_loaded_skill_stands_in_the_system_prompt_until_it_is_dropped(opened: Any, folder: Path) -> None:
    write_skill(folder, "tidy", body="Sweep first.")
    session = await opened()
    await session.skills.load("tidy")
    assert "Sweep first." in session.conversation.system
    assert "lie in .agents/skills/tidy/" in session.conversation.system
    session.skills.drop("tidy")
    assert "Sweep first." not in session.conversation.system


async def test_a_pattern_that_is_not_understood_is_said(opened: Any, folder: Path) -> None:
    write_skill(folder, "odd", "allowed-tools: Read(src/**)")
    session = await opened()
    await session.skills.load("odd")
    assert session.said == ["skill odd: allowed-tools Read(src/**) is not understood and allows nothing"]
    assert session.offered == {"load_skill"}


async def test_a_skill_cannot_give_back_what_the_role_took(opened: Any, folder: Path) -> None:
    write_skill(folder, "writer", "allowed-tools: write_file, read_file")
    session = await opened()
    session.toolbox.of_role = frozenset({"read_file"})
    await session.skills.load("writer")
    assert session.offered == {"read_file"}


async def test_a_body_swapped_for_a_link_to_keys_is_refused_and_told(
    opened: Any, folder: Path, workspace: Path
) -> None:
    path = write_skill(folder, "release", "trigger: release")
    session = await opened()
    (workspace / ".env").write_text("TOKEN=abc\n")
    path.unlink()
    path.symlink_to(workspace / ".env")
    assert await session.skills.for_message("release") == ()
    assert "looks like a file that holds keys" in session.said[0]
    with pytest.raises(Denied):
        await session.call("load_skill", name="release")


async def test_the_limits_of_a_skill_are_those_of_the_text_that_is_read(opened: Any, folder: Path) -> None:
    path = write_skill(folder, "look", "allowed-tools: Read, Write")
    session = await opened()
    path.write_text(path.read_text().replace("Read, Write", "Read"))
    await session.call("load_skill", name="look")
    assert session.offered == {"read_file", "load_skill"}


async def test_keys_in_a_skill_do_not_reach_the_model(opened: Any, folder: Path) -> None:
    key = "sk-ant-api03-" + "a1B2" * 20
    write_skill(folder, "leaky", body=f"Use {key}.")
    assert "[redacted]" in await (await opened()).call("load_skill", name="leaky")


async def test_a_huge_body_is_cut_and_says_so(opened: Any, folder: Path) -> None:
    write_skill(folder, "huge", body="word " * 20_000)
    text = await (await opened()).call("load_skill", name="huge")
    assert "[cut after 30,000 of 100,000 characters; the rest is in .agents/skills/huge/SKILL.md]" in text
