"""What a session records, and what can be done with recorded ones: list, show, continue, replay."""

from pathlib import Path

import pytest

from onbook.events import RunFinished, RunStarted
from onbook.outcome import Outcome
from onbook.transcript.history import load
from tests.commands.conftest import Typed
from tests.conftest import CommandLine
from tests.scripted import Reply, ScriptedServer, ToolCall


async def test_what_happens_while_the_recording_is_paused_is_left_out(typed: Typed) -> None:
    await typed("one")
    await typed("/record off")
    assert typed.text.startswith("paused; what was said before is in .onbook/sessions/")
    await typed("two")
    await typed("/record on")
    await typed("three")
    path = typed.live.record.path
    assert path is not None
    assert [turn.user for turn in load(path).turns] == ["one", "three"]
    assert "THE RECORDING GOES ON" in path.read_text()


async def test_a_pause_in_which_nothing_happened_leaves_no_gap(typed: Typed) -> None:
    await typed("one")
    for line in ("/record off", "/record", "/record on", "/record on"):
        assert await typed(line) is Outcome.PASSED
    path = typed.live.record.path
    assert path is not None
    assert "GOES ON" not in path.read_text()


async def test_sessions_are_listed_and_shown(typed: Typed, run: CommandLine) -> None:
    await typed("/session")
    assert (typed.text, typed.notes) == ("", ["no sessions are recorded here yet"])
    path = run.record(("one", "1"), ("two", "2"))
    await typed("/session list")
    assert typed.text.split()[0] == path.stem
    assert typed.text.endswith("2 turns  llama3:latest  one\n")
    await typed("/session show")
    assert "ADA\none\n\nHARVEY\n1\n" in typed.text
    assert await typed.offered("/session show 2") == [path.stem]
    assert await typed("/session show nothing") is not Outcome.PASSED


async def test_another_session_is_continued_in_its_own_file(
    typed: Typed, run: CommandLine, scripted_model: ScriptedServer
) -> None:
    path = run.record(("one", "1"))
    await typed("something else")
    await typed(f"/session continue {path.stem}")
    assert typed.text == f"continuing {path.stem} after 1 turn\n"
    await typed("two")
    said = [each["content"] for each in scripted_model.chats[-1].messages if each["role"] != "system"]
    assert said == ["one", "1", "two"]
    assert [turn.user for turn in load(path).turns] == ["one", "two"]
    assert await typed(f"/session continue {path.stem}") is Outcome.USAGE
    assert typed.error == f"session {path.stem} is the one that is recorded now"


async def test_a_session_is_replayed_in_this_one(typed: Typed, run: CommandLine) -> None:
    path = run.record(("one", "1"), ("two", "2"))
    assert await typed(f"/session replay {path.stem}") is Outcome.PASSED
    assert typed.notes[:1] == ["> one"]
    assert [event.input for event in typed.events.of(RunStarted)][1:] == ["one", "two"]
    assert [event.text for event in typed.events.of(RunFinished)][:2] == ["You said: one", "You said: two"]


async def test_a_pipeline_is_not_asked_as_a_question_when_its_session_is_replayed(
    typed: Typed, run: CommandLine, workspace: Path, scripted_model: ScriptedServer
) -> None:
    (workspace / "a.md").write_text("Say hello.\n")
    assert run("pipeline", "50%", "a.md").code == 0
    (path,) = (workspace / ".onbook" / "sessions").glob("*.fountain")
    asked = len(scripted_model.chats)
    why = "not run again: /pipeline 50% a.md; its prompt files are not in the record, so type it yourself"
    assert await typed(f"/session replay {path.stem}") is Outcome.USAGE
    assert typed.error == f"there is no question to ask again: {why}"
    run("ask", "--continue", "And now?")
    assert await typed(f"/session replay {path.stem}") is Outcome.PASSED
    assert typed.notes == [why, "> And now?"]
    assert len(scripted_model.chats) == asked + 2


async def test_each_question_of_a_replay_is_a_turn_of_its_own_to_undo(
    typed: Typed, run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    path = run.record(("one", "1"), ("two", "2"))
    typed.live.door.answers.allow = frozenset({"write"})
    for name in ("one.md", "two.md"):
        written = ToolCall("call_1", "write_file", f'{{"path": "{name}", "content": "x"}}')
        scripted_model.replies(Reply(tool_calls=(written,)), Reply("done"))
    await typed(f"/session replay {path.stem}")
    await typed("/undo")
    assert typed.text == "took back two.md\n"
    assert (workspace / "one.md").exists()


async def test_a_transcript_that_lies_elsewhere_is_read_through_the_door(
    typed: Typed, run: CommandLine, tmp_path: Path
) -> None:
    moved = run.record(("one", "1")).rename(tmp_path / "moved.fountain")
    assert await typed(f"/session show {moved}") is Outcome.PASSED
    assert "ADA\none\n" in typed.text
    (line,) = typed.live.door.audit.tail(1)
    assert (line.by, line.verdict) == ("user", "allow")


async def test_the_latest_session_to_go_on_with_is_not_this_one(typed: Typed, run: CommandLine) -> None:
    path = run.record(("one", "1"))
    await typed("two")
    await typed("/session continue")
    assert typed.text == f"continuing {path.stem} after 1 turn\n"


@pytest.mark.parametrize(
    ("line", "recorded"),
    [
        ("/model", False),
        ("/model list", False),
        ("/model scripted", True),
        ("/role", False),
        ("/rag", False),
        ("/memory search tests", False),
        ("/memory add the tests run with make", True),
        ("/safemode", False),
        ("/safemode off", True),
        ("/compact", False),  # there is nothing to compact: it is said, and nothing was done
        ("/rag add", False),
    ],
)
async def test_what_only_looks_or_never_began_is_not_recorded(typed: Typed, line: str, *, recorded: bool) -> None:
    await typed(line)
    assert typed.live.record.path is not None
    assert typed.live.record.path.exists() is recorded
