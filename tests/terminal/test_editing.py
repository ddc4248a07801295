"""The input line in a real terminal: several lines, pastes, history, completion."""

import os
import stat
from pathlib import Path

import pytest

from tests.conftest import CommandLine, eventually
from tests.scripted import Reply, ScriptedServer
from tests.terminal.conftest import See


@pytest.mark.parametrize("between", ["\x1b\r", "\\\r"])
def test_a_message_can_have_several_lines(see: See, scripted_model: ScriptedServer, between: str) -> None:
    seen = see()
    seen.ready()
    seen.enter(f"one{between}two")
    seen.until("You said: one")
    assert scripted_model.chats[0].last == "one\ntwo"


def test_a_paste_is_one_turn(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.paste("one\r\ntwo\rthree\x07")
    seen.until(lambda: seen.input == "one")
    assert not scripted_model.chats
    seen.send("\r")
    seen.until("You said: one")
    assert scripted_model.chats[0].last == "one\ntwo\nthree"


def test_a_long_paste_is_folded_and_sent_whole(see: See, scripted_model: ScriptedServer) -> None:
    text = "".join(f"line {number}\n" for number in range(1234))
    seen = see()
    seen.ready()
    seen.send("look: ")
    seen.paste(text)
    seen.until(lambda: seen.input == "look: [pasted 1,234 lines]")
    seen.send("\r")
    seen.until("> look: [pasted 1,234 lines]")
    eventually(lambda: scripted_model.chats)
    assert scripted_model.chats[0].last == f"look: {text}".rstrip()


def test_a_paste_that_is_too_long_is_one_clear_line(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.paste("x" * 1_600_000)
    seen.until("onbook: that paste has 1.5 MiB, more than a message can hold (1 MiB); save it to a file and use")
    seen.enter("hello")
    seen.until("You said: hello")
    assert seen.leave() == 0


def test_a_paste_while_an_answer_streams_is_one_turn_too(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("word\n\n" * 40, delay=0.01))
    seen = see()
    seen.ready()
    seen.enter("go")
    seen.until("word")
    for number in range(5):
        seen.paste(f"a{number}\nb{number}")
        seen.send("\r")
    eventually(lambda: len(scripted_model.chats) == 6, 20)
    assert [chat.last for chat in scripted_model.chats[1:]] == [f"a{number}\nb{number}" for number in range(5)]


def test_bytes_that_are_no_text_are_refused(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    os.write(seen.child.child_fd, b"caf\xe9\r")
    seen.until("onbook: that line is not UTF-8 text")
    seen.enter("hello")
    seen.until("You said: hello")
    assert len(scripted_model.chats) == 1


def test_history_is_there_in_the_next_session_for_the_user_alone_and_without_keys(
    see: See, scripted_model: ScriptedServer, home: Path
) -> None:
    seen = see()
    seen.ready()
    seen.enter("my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJ")
    seen.until("tokens")
    seen.enter("hello")
    seen.until("You said: hello")
    assert seen.leave() == 0
    file = home / "state" / "history"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "abcdefghijklmnop" not in file.read_text()
    again = see()
    again.ready()
    again.send("\x1b[A")
    again.until(lambda: again.input == "hello")
    again.send("\x1b[A")
    again.until(lambda: again.input.startswith("my key is "))
    again.send("\x03")
    again.until(lambda: again.input == "")
    again.send("\x12hel")
    again.until(lambda: again.input == "hello")


def test_an_earlier_line_is_suggested_and_taken_with_the_right_arrow(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("what is the weather like?")
    seen.until("You said: what")
    seen.ready()
    seen.send("what is")
    seen.until(lambda: seen.input == "what is the weather like?")
    seen.send("\r")
    eventually(lambda: len(scripted_model.chats) == 2)
    assert scripted_model.chats[1].last == "what is"
    seen.ready()
    seen.send("what is the")
    whole = len("> what is the weather like?")
    while seen.column != whole:  # there is nothing to take until it is offered
        seen.send("\x1b[C")
        assert seen.read(0.05)
    seen.send("\r")
    eventually(lambda: len(scripted_model.chats) == 3)
    assert scripted_model.chats[2].last == "what is the weather like?"


def test_ctrl_c_ends_a_search_in_the_history(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.enter("hello")
    seen.until("You said: hello")
    seen.ready()
    seen.send("\x12hel")
    seen.until("I-search backward")
    seen.send("\x03")
    seen.until(lambda: "I-search" not in seen.screen and seen.input == "")
    seen.enter("again")
    seen.until("You said: again")


def test_no_record_keeps_no_history(see: See, scripted_model: ScriptedServer, home: Path) -> None:
    seen = see("--no-record")
    seen.ready()
    seen.enter("hello")
    seen.until("You said: hello")
    seen.ready()
    assert "not recorded" in seen.status
    assert seen.leave() == 0
    assert not (home / "state" / "history").exists()


def test_tab_completes_commands_and_paths_in_quotes(see: See, scripted_model: ScriptedServer, run: CommandLine) -> None:
    (run.workspace / "my notes.md").write_text("x")
    seen = see()
    seen.ready()
    seen.send("/he\t")
    seen.until(lambda: seen.input == "/help")
    seen.send("\x03/read my\t")
    seen.until(lambda: seen.input == "/read 'my notes.md'")


def test_offers_come_while_a_command_is_typed(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.send("/sea")
    seen.until("Find a pattern in the files")
    seen.send("\x03")
    seen.until(lambda: "Find a pattern" not in seen.screen)


def test_names_are_offered_after_an_at_sign(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.send("@scr\t")
    seen.until(lambda: seen.input == "@scripted")


def test_a_tab_that_comes_before_the_offers_takes_the_first_of_them(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    (run.workspace / "notes.md").write_text("x")
    seen = see()
    seen.ready()
    for _ in range(5):
        seen.send("\x03/read no\t")
        seen.until(lambda: seen.input == "/read notes.md")


def test_tab_goes_on_into_the_only_folder(see: See, scripted_model: ScriptedServer, run: CommandLine) -> None:
    (run.workspace / "my src").mkdir()
    (run.workspace / "my src" / "only.py").write_text("x")
    seen = see()
    seen.ready()
    seen.send("/read my\t")
    seen.until(lambda: seen.input == "/read 'my src'/")
    seen.send("\t")
    seen.until(lambda: seen.input == "/read 'my src/only.py'")


def test_a_home_that_is_not_there_offers_nothing(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.send("/read ~nobody-of-that-name/\t")
    seen.send("\x03/he\t")
    seen.until(lambda: seen.input == "/help")
    assert "error" not in seen.all


def test_a_file_that_looks_like_an_option_is_offered_as_a_file(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    (run.workspace / "-rf").write_text("x")
    seen = see()
    seen.ready()
    seen.send("/read \t")
    seen.until(lambda: seen.input == "/read ./-rf")
