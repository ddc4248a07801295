"""Answers, and lines beside them: at a terminal they break between words, in a pipe they stay one line."""

import pexpect
import pytest

from onbook.terminal.screen import at_words
from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer
from tests.terminal.conftest import See

ADVICE = "write a percentage above 0 and up to 100, as in 85%"
ANSWER = "The curtain falls and every single member of the extraordinarily patient audience applauds the performance."
LONG_NAME = "a-file-whose-name-alone-is-longer-than-the-whole-line-of-a-narrow-terminal.md"


def test_a_sessions_complaint_breaks_between_words(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.resize(60, 24)
    seen.enter("/pipeline 0.5 a.md")
    seen.until("as in 85%")
    assert f'onbook: pipeline: "0.5" is not a confidence: write a\n{ADVICE.removeprefix("write a ")}\n' in seen.all


def test_a_name_that_fits_into_no_line_is_left_whole(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.resize(60, 24)
    seen.enter(f"/read {LONG_NAME}")
    seen.until("does not exist")
    assert f"onbook: {LONG_NAME[:52]}\n{LONG_NAME[52:]} does not exist\n" in seen.all
    assert f"{LONG_NAME} does" in seen.raw


def test_a_failed_turns_line_breaks_between_words(see: See) -> None:
    seen = see("ask", "-m", "a-model-that-nobody-has-ever-heard-of", "hello")
    assert seen.end() == 2
    rows = seen.all.rstrip().split("\n")
    said = " ".join(rows)
    assert said.startswith('onbook: model "a-model-that-nobody-has-ever-heard-of" did not resolve to a route')
    assert len(rows) > 1
    assert all(f" {row} " in f" {said} " for row in rows)
    assert seen.raw.replace("\r\n", " ").rstrip() == said


def test_a_misused_commands_line_breaks_between_words(see: See, run: CommandLine) -> None:
    words = ("workflow", "--answer", "nope=x", "a task")
    in_a_pipe = run(*words).complaint
    assert len(in_a_pipe) > 100
    seen = see(*words)
    assert seen.end() == 2
    rows = seen.all.rstrip().split("\n")
    assert " ".join(rows) == f"onbook: {in_a_pipe}"


@pytest.mark.parametrize("args", [("ask", "hi"), ("loop", "1s", "--count", "1", "hi")])
@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_an_answer_breaks_between_words(
    terminal: Terminal, scripted_model: ScriptedServer, args: tuple[str, ...], term: str
) -> None:
    scripted_model.replies(Reply(ANSWER))
    child = terminal(*args, TERM=term)
    child.expect(pexpect.EOF)
    first, _, rest = ANSWER.rpartition(" the ")
    assert f"{first} the\r\n{rest}\r\n" in str(child.before)


def test_an_answer_in_a_pipe_is_one_line(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply(ANSWER))
    assert run("ask", "hi").stdout == f"{ANSWER}\n"


def test_a_row_of_columns_goes_on_in_its_column(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.resize(60, 24)
    seen.enter("/status")
    seen.until("log level")
    rows = seen.all.split("\n")
    at = next(number for number, row in enumerate(rows) if row.startswith("tools      "))
    assert rows[at + 1].startswith(" " * 11)
    assert rows[at + 1][11:12].isalpha()


def test_what_a_program_says_is_left_as_it_is(see: See, scripted_model: ScriptedServer) -> None:
    seen = see()
    seen.ready()
    seen.resize(60, 24)
    seen.enter(f"!echo {ANSWER}")
    seen.until("goes with the next message")
    assert f"{ANSWER}\r" in seen.raw


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("  ✗ generator · llama3 · it wrote nothing", ["  ✗ generator · llama3 · it", "    wrote nothing"]),
        ("1  10:00  model  read a.md: allowed here", ["1  10:00  model  read a.md:", "          allowed here"]),
        ("One sentence.  Another one goes on here.", ["One sentence.  Another one", "goes on here."]),
    ],
)
def test_a_line_goes_on_below_its_own_words(line: str, rows: list[str]) -> None:
    assert at_words(line, 28).split("\n") == rows
