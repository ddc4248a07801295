"""`onbook sessions`, `show` and `replay`: what was recorded, read again and asked again."""

import json
import os
import time
from pathlib import Path

import pexpect

from onbook.transcript.recorder import Cast, Recorder
from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer, Status, ToolCall

HARVEY = """Title: Harvey Session
Credit: Recorded by Harvey
Author: ADA
Date: 2026-05-20 14:30:00

FADE IN:

INT. HARVEY AND ADA TALKING 2026-05-20 14:30:00

Harvey and ADA are in chat mode. Model: LLAMA3. Workspace: /w.

ADA
What is Fountain?

HARVEY
Forwarding to LLAMA3.

LLAMA3
A markup for screenplays.

It has two paragraphs.

THE END.
"""


def test_sessions_are_listed_newest_first(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    nothing = run("sessions")
    assert (nothing.code, nothing.stdout, nothing.complaint) == (0, "", "no sessions are recorded here yet")
    run.record(("hello", "hi"), ("again", "hi again"))
    old = workspace / ".onbook" / "sessions" / "harvey-session-20260520-143000.spmd"
    old.write_text(HARVEY)
    os.utime(old, (0, 0))
    head, newest, oldest = run("sessions").stdout.splitlines()
    assert head.split() == ["SESSION", "DATE", "(UTC)", "TURNS", "MODEL", "BEGINS"]
    assert newest.split()[0] == run.transcripts[0].stem
    assert newest.split()[-3:] == ["2", "llama3:latest", "hello"]
    assert oldest.endswith("What is Fountain?")
    listed = [json.loads(line) for line in run("sessions", "--json").stdout.splitlines()]
    assert [each["turns"] for each in listed] == [2, 1]


def test_show_prints_the_latest_session_or_the_one_named(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Hello\x1b[31m, Ada."), Status(401, {"error": {"message": "no"}}))
    run("ask", "Say hello")
    run("ask", "--continue", "again")
    shown = run("show")
    assert shown.stderr == ""
    assert "ADA\nSay hello\n\nHARVEY\nHello\x1b[31m, Ada.\n" in shown.stdout  # a pipe gets what was recorded
    assert "(model failed: scripted: refused: no (HTTP 401)" in shown.stdout
    assert run("show", run.transcripts[0].stem.rpartition("-")[2]).stdout == shown.stdout
    turns = [json.loads(line) for line in run("show", "--json").stdout.splitlines()]
    assert [turn["user"] for turn in turns] == ["Say hello", "again"]


def test_a_recording_of_harvey_is_shown_whole_and_replayed(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "old.spmd").write_text(HARVEY)
    assert "A markup for screenplays.\n\nIt has two paragraphs." in run("show", "old.spmd").stdout
    assert run("replay", "old.spmd").stdout == "You said: What is Fountain?\n"


def test_a_recording_of_harvey_is_continued_in_a_session_of_its_own(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "old.spmd").write_text(HARVEY)
    done = run("ask", "--session", "old.spmd", "And?")
    assert done.code == 0
    assert "continuing old after 1 turn; it stays as it is, what follows is a session of its own" in done.stderr
    assert [message["content"] for message in scripted_model.chats[0].messages][::2] == ["What is Fountain?", "And?"]
    assert [turn.user for turn in run.turns()] == ["And?"]
    assert (workspace / "old.spmd").read_text() == HARVEY


def test_replay_asks_the_questions_again_with_their_own_new_history(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    run.record(("one", "You said: one"), ("two", "You said: two"))
    with ScriptedServer(models=("other",)) as other:
        run("route", "add", "other", other.openai_url)
        other.replies(Reply("1"), Reply("2"))
        done = run("replay", "--model", "other")
        assert (done.code, done.stdout) == (0, "1\n2\n")
        assert "\n> one\n" in done.stderr
        assert [message["content"] for message in other.chats[1].messages] == ["one", "1", "two"]
    assert len(run.transcripts) == 2


def test_replay_goes_on_after_a_question_that_fails(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("one", "You said: one"), ("two", "You said: two"))
    scripted_model.replies(Status(400), Reply("2"))
    done = run("replay", "--no-record")
    assert (done.code, done.stdout) == (5, "2\n")


def test_replay_leaves_out_what_did_not_end_well_and_says_what_it_cannot_attach(
    run: CommandLine, scripted_model: ScriptedServer, workspace: Path
) -> None:
    (workspace / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (workspace / "a.txt").write_text("text")
    scripted_model.replies(Reply("A dot."), Status(400))
    run("ask", "--attach", "dot.png", "--attach", "a.txt", "What is this?")
    run("ask", "--continue", "And this?")
    done = run("replay", "--no-record")
    assert (done.code, len(scripted_model.chats)) == (0, 3)
    assert "onbook: skipped 1 turn that was cancelled or failed" in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "asked without what was attached" in line]
    assert line.endswith("pictures: dot.png (image/png, 8 bytes)")


def test_replay_stops_when_the_model_refuses(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("one", "You said: one"), ("two", "You said: two"))
    scripted_model.replies(Status(401))
    done = run("replay", "--no-record", "--json")
    assert (done.code, done.events[-1]["outcome"]) == (5, "model_failed")
    assert len(scripted_model.chats) == 1


def test_a_session_without_a_question_that_was_answered_cannot_be_replayed(
    run: CommandLine, scripted_model: ScriptedServer
) -> None:
    scripted_model.replies(Status(400))
    run("ask", "one")
    done = run("replay", "--json")
    assert (done.code, done.stdout) == (2, "")
    assert done.complaint == "there is no question to ask again: skipped 1 turn that was cancelled or failed"


def test_a_session_in_use_is_not_said_to_go_on(run: CommandLine, scripted_model: ScriptedServer) -> None:
    path = run.record(("one", "1"))
    with Recorder.resume(path, Cast(agent="Harvey", user="ada")):
        done = run("--continue", stdin="two\n")
    assert (done.code, done.stdout) == (1, "")
    assert done.complaint == f"session {path.stem} is in use by another process; without --continue a new one begins"
    assert "continuing" not in done.stderr


def test_in_a_terminal_the_date_gives_way_to_what_a_session_begins_with(run: CommandLine, terminal: Terminal) -> None:
    path = run.record(("Tell me in full what becomes of the ghost who walks at night", "1"))
    child = terminal("sessions")
    child.expect(pexpect.EOF)
    _, row, *_ = child.before.splitlines()
    today = time.strftime("%Y-%m-%d", time.gmtime())
    assert row == f"{path.stem}  {today}…  1      llama3:…  Tell me in full what becomes of the ghost wh…"


def test_a_turn_that_was_cut_off_is_left_out_and_said(run: CommandLine, scripted_model: ScriptedServer) -> None:
    run.record(("one", "You said: one"), ("two", "You said: two"))
    path = run.transcripts[0]
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"You said: two") + 6])
    shown = run("show")
    assert "You said: one" in shown.stdout
    assert "two" not in shown.stdout
    assert shown.complaint == "the last turn was cut off while it was written; it is left out"
    done = run("ask", "--continue", "three")
    assert f"onbook: {path.name} was cut off in the middle of a turn; that turn is left out" in done.stderr
    assert [message["content"] for message in scripted_model.chats[0].messages] == ["one", "You said: one", "three"]


def test_show_names_the_tools_of_a_turn(run: CommandLine, scripted_model: ScriptedServer, workspace: Path) -> None:
    (workspace / "a.md").write_text("apples\n")
    calls = (ToolCall("1", "read_file", '{"path":"a.md"}'), ToolCall("2", "read_file", '{"path":"b.md"}'))
    scripted_model.replies(Reply(tool_calls=calls), Reply("Apples."))
    run("ask", "What is there?")
    used = '[used read_file({"path":"a.md"})]\n[used read_file({"path":"b.md"}), which failed]'
    assert f"ADA\nWhat is there?\n\n{used}\n\nHARVEY\nApples.\n" in run("show").stdout
