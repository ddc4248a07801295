"""The small parts of the terminal, each alone: pastes, rows, history, quoting, the board, the short lines."""

import re
import shlex
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.utils import get_cwidth

from onbook.events import Note, ProcessFinished, ToolFinished
from onbook.outcome import UsageError
from onbook.session.grammar import CommandLine, parse_line
from onbook.terminal.asides import is_heard, process_line, tool_call, tool_lines
from onbook.terminal.board import Board, Question, Typed, Waiting
from onbook.terminal.completer import quoted
from onbook.terminal.growing import Thoughts, Words, said_by
from onbook.terminal.history import InputHistory
from onbook.terminal.paste import Pastes
from onbook.terminal.screen import marked, printable, styled
from onbook.terminal.wrapping import last_rows


@given(st.lists(st.text("ab\n[]pasted #0123456789,lines", max_size=300) | st.text().map(lambda t: t * 80), max_size=4))
def test_what_was_pasted_is_what_is_sent(texts: list[str]) -> None:
    from onbook.terminal.paste import clean

    pastes = Pastes()
    shown = [pastes.take(text) for text in texts]
    for text, mark in zip(texts, shown, strict=True):
        if mark != clean(text):
            assert pastes.open(mark) == clean(text)


def test_two_long_pastes_of_one_size_are_told_apart() -> None:
    pastes = Pastes()
    first, second = pastes.take("a\n" * 60), pastes.take("b\n" * 60)
    assert (first, second) == ("[pasted 60 lines]", "[pasted 60 lines #2]")
    assert pastes.open(f"{second} and {first}") == "b\n" * 60 + " and " + "a\n" * 60


def test_one_long_line_is_folded_too() -> None:
    assert Pastes().take("x" * 5000) == "[pasted 5,000 characters]"


def test_a_paste_of_more_than_a_mebibyte_names_the_way_out() -> None:
    with pytest.raises(UsageError, match=r"2\.0 MiB.*/attach FILE"):
        Pastes().take("é" * 1024 * 1024)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), max_size=300), st.integers(2, 40))
def test_every_row_fits_the_terminal(text: str, columns: int) -> None:
    rows = last_rows(text, columns, 10)
    assert len(rows) <= 10
    assert all(get_cwidth(row) <= columns for row in rows)


def test_the_last_rows_are_shown() -> None:
    assert last_rows("one\ntwo\nthree four\n", 6, 3) == ["two", "three ", "four"]


def test_rows_are_cut_between_words() -> None:
    assert last_rows("one two three", 8, 3) == ["one two ", "three"]
    assert last_rows("unbreakable", 8, 3) == ["unbreaka", "ble"]


def test_what_was_drawn_stands_still_while_a_long_line_grows() -> None:
    text = "".join(f"word{number} " for number in range(400))
    moved = sum(
        last_rows(text[:end], 20, 5)[0] != last_rows(text[: end + 1], 20, 5)[0] for end in range(1000, len(text))
    )
    assert moved <= (len(text) - 1000) / 12  # a row of two words at a time


def test_a_thought_is_set_back_line_by_line_without_empty_lines_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    thoughts = Thoughts(lambda: 80)
    said = [thoughts.feed(piece) for piece in ("\n\nfirst ", "line\n\n\nsec", "ond\n\n")]
    assert said == ["", "first line\n", "\nsecond\n"]
    assert thoughts.end() == ""


def test_text_cannot_make_a_line_read_in_another_order() -> None:
    assert printable("a\u202eb\u2066c") == r"a\u202eb\u2066c"


def test_a_history_that_cannot_be_kept_is_no_problem(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    history = InputHistory(blocked / "history")
    history.append_string("hello")
    assert list(InputHistory(blocked / "history").load_history_strings()) == []


def test_a_history_remembers_lines_of_any_shape_and_passes_over_broken_ones(tmp_path: Path) -> None:
    path = tmp_path / "state" / "history"
    history = InputHistory(path)
    for entry in ("one\ntwo", "naïve ☃", "look: [pasted 60 lines]"):
        history.append_string(entry)
    with path.open("ab") as file:
        file.write(b'"torn')
    assert list(InputHistory(path).load_history_strings()) == ["naïve ☃", "one\ntwo"]


def test_a_history_that_has_grown_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text('"old"\n' + '"xxxxxxxxxxxxxxxx"\n' * 120_000 + '"new"\n')
    assert next(iter(InputHistory(path).load_history_strings())) == "new"
    assert path.stat().st_size <= 1024 * 1024
    assert path.read_text().endswith('"new"\n')


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(lambda text: text[0] not in "/@"))
def test_a_quoted_word_is_read_back_as_it_was(word: str) -> None:
    parsed = parse_line(f"/read {quoted(word)}")
    assert parsed == CommandLine("read", (word,))


def test_a_folder_can_be_gone_into_after_it_was_quoted() -> None:
    assert quoted("my notes/") == "'my notes'/"
    assert shlex.split(quoted("my notes/") + "a.md") == ["my notes/a.md"]


def test_an_apostrophe_is_quoted_as_a_person_would() -> None:
    assert quoted("it's.txt") == '"it\'s.txt"'


def test_the_board_shows_the_end_of_what_grows_and_what_waits() -> None:
    answer = Words(lambda: 80)
    answer.feed("one\ntwo\nthree")
    board = Board(answer, queued=[Typed("next\nline", "")])
    assert [text for _, text in board.above(20, 3)] == ["two\n", "three\n", "queued: next …\n"]


def test_a_question_is_shown_in_place_of_the_spinner() -> None:
    board = Board(waiting=Waiting("llama3", time.monotonic() - 2))
    assert "llama3 | 2s\n" in board.above(80, 5)[0][1]
    board.question = Question(("May it?",), "yes or no")
    assert [text for _, text in board.above(80, 5)] == ["May it?\n", "yes or no\n"]


def test_a_diff_has_its_colours_and_other_output_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert said_by("/diff", lambda: 80).feed("+new\n same\n") == "\x1b[32m+new\x1b[0m\n same\n"
    assert said_by("/run ls", lambda: 80).feed("+new\n") == "+new\n"


def test_a_page_of_the_manual_is_drawn_and_flows_to_the_width_there_is() -> None:
    page = said_by("/help runs", lambda: 40)
    assert page.feed("# Runs\n\nOne line\nand the next.\n") == ""
    assert page.unfinished == ""
    assert re.sub(r"\x1b\[[0-9;]*m", "", page.end()) == "Runs\n\nOne line and the next.\n"


def test_the_help_of_a_command_stays_as_it_is() -> None:
    shown = said_by("/help model", lambda: 40)
    shown.feed("/model [list|NAME]\n\n  - *as* it is\n")
    assert shown.end() == "/model [list|NAME]\n\n  - *as* it is\n"


def test_a_line_without_an_end_is_not_held_back_for_ever() -> None:
    lines = said_by("/run yes", lambda: 80)
    assert len("".join(lines.feed("y" * 1000) for _ in range(100))) > 50_000


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{"path": "a.md", "start": 1}', "read_file a.md 1"),
        ('{"content": "one\\ntwo"}', "read_file one …"),
        ("{broken", "read_file {broken"),
        ("", "read_file"),
    ],
)
def test_a_tool_call_is_said_in_a_line(arguments: str, shown: str) -> None:
    assert tool_call("read_file", arguments) == shown


def test_a_failed_tool_says_why_and_debug_says_all() -> None:
    finished = ToolFinished(run="", time=0, call="1", name="x", ok=False, result="no such file\nmore", seconds=0.25)
    assert tool_lines("read_file a", finished, "info") == ["✗ read_file a · no such file · 0.2 s"]
    assert tool_lines("read_file a", finished, "debug")[1:] == ["  no such file", "  more"]


def test_a_program_that_was_stopped_says_why() -> None:
    done = ProcessFinished(run="", time=0, command="sleep 9", exit_code=None, output="", seconds=2, problem="too slow")
    assert process_line(done) == "sleep 9 · too slow · 2.0 s"


@pytest.mark.parametrize(("level", "heard"), [("none", 1), ("info", 2), ("debug", 3)])
def test_the_log_level_decides_which_notes_are_said(level: str, heard: int) -> None:
    notes = [Note(run="", time=0, text="x", level=each) for each in ("debug", "info", "warning")]
    assert sum(is_heard(note, level) for note in notes) == heard  # type: ignore[arg-type]


def test_a_mark_has_its_colour_and_the_text_around_it_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert styled("2", marked("a ✓ b ✗")) == "\x1b[2ma \x1b[32m✓\x1b[39m b \x1b[31m✗\x1b[39m\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert marked("a ✓ b ✗") == "a ✓ b ✗"
