"""The commands about the session itself."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from onbook.events import RunFinished, RunStarted, TextDelta
from onbook.outcome import Outcome
from onbook.session.compaction import summarise
from onbook.session.pending import Piece
from onbook.transcript.history import load
from tests.commands.conftest import Typed
from tests.conftest import CommandLine
from tests.scripted import Cut, Reply, ScriptedServer, Stall, Status, ToolCall


async def test_exit_asks_to_leave(typed: Typed) -> None:
    assert await typed("/BYE") is Outcome.PASSED
    assert typed.live.exit.asked


async def test_status_shows_the_session_on_one_screen(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("hello")
    typed.live.pending.add(Piece("notes.md", "milk"))
    await typed("/status")
    rows = {line[:10].strip(): line[11:] for line in typed.text.splitlines()}
    assert rows["model"] == "llama3:latest (scripted, on this machine; onbook.toml)"
    assert rows["context"].endswith(" in 1 turn")
    assert rows["waiting"] == "notes.md"
    assert rows["spent"].startswith("llama3:latest (route scripted): 1 call, ")
    assert rows["record"].startswith("recorded in .onbook/sessions/")
    assert rows["safe mode"] == "on"
    assert "read_file" in rows["tools"]
    assert {"role", "workspace", "sandbox", "log level", "memory", "skills"} <= rows.keys()
    assert "budget" not in rows


async def test_clear_forgets_the_conversation_and_what_waits(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("one")
    typed.live.pending.add(Piece("notes.md", "milk"))
    assert await typed("/clear") is Outcome.PASSED
    assert typed.text == "forgot 1 turn and 1 waiting\n"
    await typed("two")
    assert [message["content"] for message in scripted_model.chats[-1].messages if message["role"] == "user"] == ["two"]


async def test_clear_can_spare_the_conversation(typed: Typed) -> None:
    await typed("one")
    typed.live.pending.add(Piece("notes.md", "milk"))
    await typed("/clear --pending")
    assert typed.text == "forgot 1 waiting\n"
    assert len(typed.live.chat.conversation.turns) == 1
    assert typed.live.pending.pieces == ()


LONG = "a long story " * 100


async def _talked(typed: Typed, server: ScriptedServer, turns: int = 4) -> None:
    server.replies(*(Reply(f"{LONG}{n}") for n in range(turns)))
    for n in range(turns):
        await typed(f"question {n}")


async def test_compact_puts_a_summary_in_the_place_of_the_older_turns(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    scripted_model.replies(Reply("They told stories."))
    assert await typed("/compact") is Outcome.PASSED
    assert typed.text == "They told stories."
    asked = scripted_model.chats[-1].messages[-1]["content"]
    assert "question 0" in asked
    assert "question 3" not in asked
    history = typed.live.chat.conversation.history
    assert [message.role for message in history] == ["user", "assistant"] * 3
    assert "They told stories." in history[0].text
    assert [message.text for message in history[2::2]] == ["question 2", "question 3"]
    assert len(typed.live.chat.conversation.turns) == 3
    assert typed.notes[-1].startswith("2 turns summarised: ~")


async def test_a_failed_compact_leaves_the_conversation_as_it_was(typed: Typed, scripted_model: ScriptedServer) -> None:
    await _talked(typed, scripted_model)
    before = typed.live.chat.conversation.history
    for reply in (
        Status(400),
        Reply(LONG * 20),
        Reply("", finish_reason="stop"),
        Reply("They", finish_reason="length"),
    ):
        scripted_model.replies(reply)
        assert await typed("/compact") is Outcome.MODEL_FAILED
        assert typed.error
        assert typed.live.chat.conversation.history == before


async def test_a_cancelled_compact_leaves_the_conversation_as_it_was(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    before = typed.live.chat.conversation.history
    scripted_model.replies(Stall(2, Reply("They told stories.")))
    running = asyncio.create_task(typed("/compact"))
    while not any(event.text.startswith("They") for event in typed.seen.of(TextDelta)):
        await asyncio.sleep(0.01)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert typed.events.one(RunFinished).outcome == "cancelled"
    assert typed.live.chat.conversation.history == before


async def test_a_compact_that_was_broken_off_has_cost_what_was_said(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    before = typed.live.ledger.running.completion_tokens or 0
    scripted_model.replies(Cut(2, Reply("They told stories.")))
    assert await typed("/compact") is Outcome.MODEL_FAILED
    assert (typed.live.ledger.running.completion_tokens or 0) > before


async def test_compact_says_when_there_is_nothing_to_do(typed: Typed) -> None:
    await typed("one")
    assert await typed("/compact") is Outcome.USAGE
    assert typed.error == "nothing to compact: 1 turn so far, and the last 2 are kept (--keep N)"


async def test_compact_reads_a_conversation_larger_than_the_window_part_by_part(
    typed: Typed, scripted_model: ScriptedServer
) -> None:
    await _talked(typed, scripted_model)
    chat = typed.live.chat
    model = await chat.choice.current()
    summary = await summarise(chat.conversation.turns, model, 2_000, typed.live.ledger, lambda _: None)
    parts = [chat.messages[-1]["content"] for chat in scripted_model.chats[4:]]
    assert len(parts) > 1
    assert all(f"question {n}" in "".join(parts) for n in range(4))
    assert "what came before, summarised" in parts[1]
    assert summary.startswith("You said:")


async def test_context_lists_everything_the_model_is_told(typed: Typed, workspace: Path) -> None:
    typed.live.chat.conversation.sections["Role"] = "Be brief."
    await typed("hello there")
    typed.live.pending.add(Piece("notes.md", "milk"))
    await typed("/context")
    rows = [line.split() for line in typed.text.splitlines()]
    assert ["section", "3", "Role"] in rows
    assert ["user", "7", "hello", "there"] in rows
    assert ["waiting", "1", "5", "notes.md"] in rows
    assert any(row[0] == "tools" for row in rows)
    assert rows[-1][0] == "together"


async def test_a_waiting_piece_can_be_dropped(typed: Typed) -> None:
    typed.live.pending.add(Piece("a.md", "a"))
    typed.live.pending.add(Piece("b.md", "b"))
    assert await typed.offered("/context drop ") == ["1", "2"]
    await typed("/context drop 1")
    assert typed.text == "a.md will not go along\n"
    assert [piece.name for piece in typed.live.pending.pieces] == ["b.md"]
    assert await typed("/context drop 2") is Outcome.USAGE
    assert typed.error == "nothing waits under 2; /context numbers what does"


async def test_model_shows_switches_and_lists(typed: Typed, scripted_model: ScriptedServer) -> None:
    await typed("/model")
    assert typed.text.startswith("llama3:latest (scripted, on this machine; onbook.toml); context window: ")
    assert await typed("/model list") is Outcome.PASSED
    assert "* llama3:latest  on scripted" in typed.text
    assert await typed.offered("/model ll") == ["llama3:latest"]
    assert await typed.offered("@ll") == ["@llama3:latest"]
    assert await typed("/model scrpted") is Outcome.USAGE
    assert typed.live.choice.chosen is not None
    assert typed.live.choice.chosen.why == "onbook.toml"
    assert await typed("/model SCRIPTED") is Outcome.PASSED
    assert "; named)" in typed.text


async def test_route_lists_each_with_its_file(
    typed: Typed, user_settings: Path, scripted_model: ScriptedServer
) -> None:
    await typed("/route")
    assert typed.text == f"scripted  {scripted_model.openai_url}  llama3:latest  ({user_settings})\n"


async def test_loglevel_is_shown_and_set(typed: Typed) -> None:
    await typed("/loglevel")
    assert typed.text == "info\n"
    await typed("/loglevel DEBUG")
    assert typed.live.log.level == "debug"


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
    assert (await asyncio.to_thread(run, "pipeline", "50%", "a.md")).code == 0
    (path,) = (workspace / ".onbook" / "sessions").glob("*.fountain")
    asked = len(scripted_model.chats)
    assert await typed(f"/session replay {path.stem}") is Outcome.PASSED
    assert typed.notes == [
        "not run again: /pipeline 50% a.md; its prompt files are not in the record, so type it yourself"
    ]
    assert len(scripted_model.chats) == asked


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


async def test_status_and_context_agree_on_what_the_model_is_told(typed: Typed, workspace: Path) -> None:
    (workspace / "notes.md").write_text("many words " * 50)
    await typed("/read notes.md")
    await typed("/context")
    together = typed.text.splitlines()[-1].split()[1]
    await typed("/status")
    assert f"\ncontext    ~{together} tokens, of an unknown window, in 0 turns\n" in typed.text
