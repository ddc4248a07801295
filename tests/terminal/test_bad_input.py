"""Whatever goes wrong in a real terminal: a clear line, and the session goes on."""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually
from tests.scripted import Reply, ScriptedServer, ToolCall
from tests.terminal.conftest import See, Seen


@pytest.fixture
def seen(see: See, scripted_model: ScriptedServer) -> Iterator[Seen]:
    """A session, which has to be alive at the end of the test."""
    session = see()
    session.ready()
    yield session
    session.ready()
    scripted_model.rule("are you there?", Reply("Still here."))
    session.enter("are you there?")
    session.until("Still here.")
    assert "Traceback" not in session.all
    assert session.leave() == 0


def test_a_binary_file_cannot_be_read(seen: Seen, run: CommandLine) -> None:
    (run.workspace / "picture.bin").write_bytes(bytes(range(256)) * 10)
    seen.enter("/read picture.bin")
    seen.until("onbook: ")
    seen.until("picture.bin")
    seen.until("binary")


def test_a_tool_that_is_not_there_is_told_to_the_model(seen: Seen, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(tool_calls=(ToolCall("1", "fly_away", "{}"),)), Reply("I cannot fly."))
    seen.enter("fly")
    seen.until("✗ fly_away")
    seen.until("I cannot fly.")


def test_a_tool_loop_that_never_ends_is_ended(see: See, scripted_model: ScriptedServer, user_settings: Path) -> None:
    user_settings.write_text(user_settings.read_text().replace("[[routes]]", "[tools]\nrounds = 3\n\n[[routes]]", 1))
    again = [Reply(tool_calls=(ToolCall(str(number), "list_files", "{}"),)) for number in range(50)]
    scripted_model.replies(*again)
    seen = see()
    seen.ready()
    seen.enter("go on for ever")
    eventually(lambda: len(scripted_model.chats) >= 3)
    seen.ready()
    assert len(scripted_model.chats) <= 5
    scripted_model.clear()
    seen.enter("hello")
    seen.until("You said: hello")
    assert seen.leave() == 0


def test_a_program_that_floods_its_output_is_stopped(seen: Seen) -> None:
    seen.enter("!yes flood")
    seen.child.expect_exact("[stopped after ", timeout=30)


def test_keys_are_handled_while_a_program_floods_its_output(seen: Seen) -> None:
    seen.enter("!seq 50000")
    seen.send("half a line")
    seen.until(lambda: seen.input == "half a line", 20)
    seen.until(lambda: "\n50000\n" in seen.screen, 30)
    seen.ready()
    seen.send("\x03")
    seen.until(lambda: seen.input == "")


def test_a_program_that_ignores_sigterm_is_ended(seen: Seen, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    seen.enter(f"""!bash -c "trap '' TERM; echo $$ > {pid}; echo running; while true; do sleep 0.1; done" """)
    number = eventually(lambda: pid.exists() and pid.read_text().strip())
    seen.send("\x03\x03\x03")
    seen.until("Cancelled.")
    with pytest.raises(ProcessLookupError):
        os.kill(int(number), 0)


def test_a_reply_cannot_drive_the_terminal(seen: Seen, scripted_model: ScriptedServer, run: CommandLine) -> None:
    nasty = "a\x1b]0;owned\x07b\x1b[2Jc\x9b31md"
    scripted_model.replies(Reply(deltas=("a\x1b", "]0;owned\x07b\x1b[2Jc\x9b", "31md")))
    seen.enter("hello")
    seen.until(r"a\x1b]0;owned\x07b\x1b[2Jc\x9b31md")
    seen.ready()
    assert "\x1b]0;" not in seen.raw
    assert "\x1b[2J" not in seen.raw
    assert run.turns()[0].reply == nasty


def test_the_first_word_of_a_reply_cannot_drive_the_terminal(seen: Seen, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(deltas=("\x1b]0;owned\x07\x1b[2Ja", "b")))
    seen.enter("hello")
    seen.until(r"\x1b]0;owned\x07\x1b[2Jab")
    assert "\x1b]0;" not in seen.raw
    assert "\x1b[2J" not in seen.raw


def test_the_first_word_of_a_reply_stands_on_the_screen_once(seen: Seen, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(deltas=("First", " word\nand more")))
    seen.enter("hello")
    seen.until("tokens")
    assert seen.all.count("First") == 1


def test_output_of_a_program_cannot_drive_the_terminal(seen: Seen) -> None:
    seen.enter(r"""!printf 'a\033[2Jb\n'""")
    seen.until(r"a\x1b[2Jb")
    assert "\x1b[2J" not in seen.raw


def test_an_open_quote_is_one_clear_line(seen: Seen) -> None:
    seen.enter("/read 'half")
    seen.until("onbook: /read: no closing quotation")


def test_a_very_long_line_without_an_end_is_drawn_and_stays_fast(seen: Seen, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(deltas=("x" * 1000,) * 100))
    seen.enter("go")
    seen.until("tokens", 20)


def test_a_locked_database_is_one_clear_line(seen: Seen, run: CommandLine) -> None:
    (run.workspace / "notes.md").write_text("hello\n")
    seen.enter("/rag add notes.md")
    database = run.workspace / ".onbook" / "knowledge.sqlite"
    eventually(database.exists)
    seen.ready()
    with sqlite3.connect(database, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        (run.workspace / "notes.md").write_text("hello again\n")
        seen.enter("/rag add notes.md")
        seen.send("half a line")
        seen.until(lambda: seen.input == "half a line")
        seen.until("onbook: ", 20)
        seen.until("in use", 20)
        other.execute("ROLLBACK")
    seen.send("\x03\x03")
    other.close()
