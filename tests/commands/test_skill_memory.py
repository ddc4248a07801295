"""`/skill` and `/memory`, typed into a real session."""

from pathlib import Path

import pytest

from onbook.outcome import Outcome
from tests.commands.conftest import Typed
from tests.scripted import Reply, Request, ScriptedServer, ToolCall

RELEASE = """\
---
name: release
description: Cut a release of this project.
trigger: release
allowed-tools: Read, Bash(git:*)
---
Tag it with the date.
"""


@pytest.fixture
def release(workspace: Path) -> Path:
    """A workspace with one skill, and a broken one beside it."""
    path = workspace / ".agents" / "skills" / "release" / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(RELEASE)
    bad = workspace / ".agents" / "skills" / "bad" / "SKILL.md"
    bad.parent.mkdir()
    bad.write_text("---\nname: [bad\n---\n")
    return path


def chats(server: ScriptedServer) -> list[Request]:
    """What was asked of the model itself."""
    return [request for request in server.requests if request.is_chat]


class TestSkill:
    async def test_the_list_names_what_there_is_and_what_is_wrong(self, release: Path, typed: Typed) -> None:
        assert await typed("/skill") is Outcome.PASSED
        assert typed.text == "release  Cut a release of this project.\n"
        assert typed.notes == [".agents/skills/bad/SKILL.md:2: words are wanted here, not a list"]

    async def test_without_any_the_list_says_how_to_make_one(self, typed: Typed) -> None:
        await typed("/skill list")
        assert typed.notes == ["there are no skills yet; /skill new NAME makes one"]

    async def test_show_gives_the_body_with_its_head_in_words(self, release: Path, typed: Typed) -> None:
        await typed("/skill show release")
        assert typed.text.splitlines() == [
            "from .agents/skills/release/SKILL.md",
            "trigger: release",
            "tools: git, read_file, run_command; of programs only `git …`",
            "",
            "Tag it with the date.",
        ]

    async def test_a_loaded_skill_reaches_the_model_until_it_is_dropped(
        self, release: Path, typed: Typed, scripted_model: ScriptedServer
    ) -> None:
        assert await typed("/skill load release") is Outcome.PASSED
        await typed("hello")
        await typed("/skill drop")
        assert typed.text == "dropped release\n"
        await typed("hello again")
        with_it, without = (request.messages[0]["content"] for request in chats(scripted_model))
        assert "Tag it with the date." in with_it
        assert "Tag it with the date." not in without
        assert "- release: Cut a release of this project." in without

    async def test_a_skill_that_does_not_exist_suggests_the_nearest(self, release: Path, typed: Typed) -> None:
        assert await typed("/skill load relase") is Outcome.USAGE
        assert typed.error == "there is no skill relase; did you mean release?"

    async def test_dropping_what_is_not_loaded_says_so(self, release: Path, typed: Typed) -> None:
        assert await typed("/skill drop release") is Outcome.USAGE
        assert typed.error == "skill release is not loaded"

    async def test_a_new_skill_can_be_used_at_once(self, workspace: Path, typed: Typed) -> None:
        assert await typed("/skill new tidy") is Outcome.PASSED
        assert (workspace / ".agents/skills/tidy/SKILL.md").is_file()
        assert await typed("/skill load tidy") is Outcome.PASSED

    async def test_a_new_skill_never_takes_the_place_of_another(self, release: Path, typed: Typed) -> None:
        assert await typed("/skill new release") is Outcome.USAGE
        assert await typed("/skill new bad") is Outcome.USAGE
        assert typed.error == ".agents/skills/bad/SKILL.md is there already; it stays as it is"
        assert release.read_text() == RELEASE

    @pytest.mark.parametrize("name", ["../up", "a b", "-x", "", "x" * 65, "é"])
    async def test_a_new_skill_needs_a_plain_name(self, workspace: Path, typed: Typed, name: str) -> None:
        assert await typed(f"/skill new '{name}'") is Outcome.USAGE
        assert not (workspace / ".agents").exists()

    async def test_names_are_completed(self, release: Path, typed: Typed) -> None:
        assert await typed.offered("/skill load re") == ["release"]

    async def test_typed_chat_sets_off_a_skill_for_one_turn(
        self, release: Path, typed: Typed, scripted_model: ScriptedServer
    ) -> None:
        scripted_model.replies(Reply("Done."), Reply("Fine."))
        await typed("please release it")
        assert any(note.startswith("skill release fits") for note in typed.notes)
        await typed("thank you")
        first, second = chats(scripted_model)
        assert "Tag it with the date." in first.messages[-1]["content"]
        assert {tool["function"]["name"] for tool in first.body["tools"]} == {
            *("read_file", "run_command", "git", "load_skill")
        }
        assert len(second.body["tools"]) > len(first.body["tools"])

    async def test_what_a_model_or_a_file_says_sets_off_nothing(
        self, release: Path, workspace: Path, typed: Typed, scripted_model: ScriptedServer
    ) -> None:
        (workspace / "notes.md").write_text("release\n")
        scripted_model.replies(Reply("release"), Reply("release"))
        await typed("/read notes.md")
        await typed("what does it say?")
        await typed("and now?")
        assert not any("skill" in message["content"][:20] for message in chats(scripted_model)[-1].messages[1:])

    async def test_a_model_loads_a_skill_and_keeps_to_its_tools(
        self, release: Path, typed: Typed, scripted_model: ScriptedServer
    ) -> None:
        scripted_model.replies(
            Reply(tool_calls=(ToolCall("a", "load_skill", '{"name": "release"}'),)),
            Reply(tool_calls=(ToolCall("b", "write_file", '{"path": "x", "content": "y"}'),)),
            Reply(tool_calls=(ToolCall("c", "run_command", '{"command": "ls"}'),)),
            Reply("I may not."),
        )
        await typed("do what is needed")
        told = [message["content"] for message in chats(scripted_model)[-1].messages if message["role"] == "tool"]
        assert "Tag it with the date." in told[0]
        assert "there is no tool write_file for this turn (there are: " in told[1]
        assert told[2] == "error: the skill release allows only `git …`"


class TestMemory:
    async def test_a_fact_is_kept_listed_found_and_forgotten(self, typed: Typed) -> None:
        await typed("/memory add tests run with make check")
        assert typed.text.startswith("1  tests run with make check (ada, 20")
        await typed("/memory")
        assert typed.text.startswith("1  tests run with make check (ada, 20")
        await typed("/memory search MAKE")
        assert typed.text.startswith("1  tests run")
        await typed("/memory forget 1")
        assert typed.text.startswith("forgot 1  tests run")
        await typed("/memory list")
        assert typed.notes == ["nothing is remembered yet; /memory add TEXT"]

    async def test_it_names_the_session_it_was_typed_in(self, typed: Typed) -> None:
        assert typed.live.record.path is not None
        await typed("/memory add one")
        assert f"session {typed.live.record.path.stem}" in typed.text

    async def test_the_model_knows_at_once_and_forgets_at_once(
        self, typed: Typed, scripted_model: ScriptedServer
    ) -> None:
        await typed("/memory add the moon is made of cheese")
        await typed("hello")
        await typed("/memory forget 1")
        await typed("hello again")
        first, second = (request.conversation for request in chats(scripted_model))
        assert "made of cheese" in first
        assert "made of cheese" not in second

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("/memory add", "missing argument TEXT"),
            ("/memory add ''", "a fact has 1 to 1,000 characters"),
            ("/memory forget 9", "there is no fact 9"),
            ("/memory forget x", "not a whole number"),
            ("/memory serch x", "did you mean search?"),
        ],
    )
    async def test_a_mistake_is_one_line(self, typed: Typed, line: str, complaint: str) -> None:
        assert await typed(line) is Outcome.USAGE
        assert complaint in typed.error
