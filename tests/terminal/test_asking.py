"""What a model wants to do and nobody has decided yet is asked, above the prompt or on a line of its own."""

import time

import pexpect
import pytest

from onbook.policy.undo import Change
from onbook.terminal.asker import TYPING, answer_of, shown_change
from tests.conftest import CommandLine, Terminal
from tests.scripted import Reply, ScriptedServer, ToolCall
from tests.terminal.conftest import See, Seen

WRITE = Reply(tool_calls=(ToolCall("1", "write_file", '{"path": "notes.md", "content": "hello\\n"}'),))
QUESTION = "May the model write notes.md (6 bytes)?"


@pytest.fixture
def asked(see: See, scripted_model: ScriptedServer) -> Seen:
    """A session in which a model wants to write a file."""
    scripted_model.replies(WRITE, Reply("Done."))
    seen = see()
    seen.ready()
    seen.enter("write it")
    seen.until(QUESTION)
    seen.until("Enter means no")
    return seen


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("", "no"),
        ("  ", "no"),
        ("n", "no"),
        ("No", "no"),
        ("o", "once"),
        ("ONCE", "once"),
        ("s", "session"),
        ("session", "session"),
        ("a", "always"),
        ("always ", "always"),
        ("also", None),
        ("yes", "once"),
        ("Y", "once"),
        ("on", None),
    ],
)
def test_an_answer_is_a_word_or_its_first_letter(line: str, answer: str | None) -> None:
    assert answer_of(line) == answer


def test_once_lets_it_pass_and_stays_on_the_screen(asked: Seen, run: CommandLine) -> None:
    asked.enter("o")
    asked.until(f"{QUESTION} once")
    asked.until("✓ write_file notes.md")
    asked.until("Done.")
    assert (run.workspace / "notes.md").read_text() == "hello\n"
    assert asked.leave() == 0


def test_what_would_change_is_shown_before_the_question(
    see: See, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    (run.workspace / "notes.md").write_text("one\ntwo\n")
    edit = ToolCall("1", "edit_file", '{"path": "notes.md", "old": "two", "new": "\\u001b[2Jthree"}')
    scripted_model.replies(Reply(tool_calls=(edit,)), Reply("Left alone."))
    seen = see()
    seen.ready()
    seen.enter("change it")
    seen.until("Enter means no")
    seen.until("2Jthree")
    lines = [line.rstrip() for line in seen.all.splitlines()]
    shown = lines.index("--- a/notes.md")
    assert lines[shown : shown + 6] == [
        "--- a/notes.md",
        "+++ b/notes.md",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+\\x1b[2Jthree",
    ]
    seen.enter("")
    seen.until("Left alone.")
    assert seen.leave() == 0


def test_a_long_change_is_cut_where_it_would_hide_its_beginning() -> None:
    lines = shown_change(Change("long.txt", None, b"a line\n" * 500))
    assert lines[:2] == ["--- /dev/null", "+++ b/long.txt"]
    assert lines[-1] == "… 443 more lines"


def test_enter_means_no_and_the_model_is_told(asked: Seen, run: CommandLine, scripted_model: ScriptedServer) -> None:
    asked.enter("")
    asked.until("✗ write_file notes.md")
    asked.until("Done.")
    assert not (run.workspace / "notes.md").exists()
    assert "a person said no" in scripted_model.chats[-1].messages[-1]["content"]


def test_ctrl_c_at_a_question_means_no_and_cancels_the_turn(asked: Seen, run: CommandLine) -> None:
    asked.send("\x03")
    asked.until("Cancelled.")
    asked.ready()
    assert "Enter means no" not in asked.screen
    assert not (run.workspace / "notes.md").exists()
    asked.enter("next")
    asked.until("Done.")


def test_a_yes_for_the_session_is_asked_once(asked: Seen, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(WRITE, Reply("Again."))
    asked.enter("session")
    asked.until("Done.")
    asked.ready()
    asked.enter("again")
    asked.until("Again.")
    assert asked.all.count(QUESTION) == 1


def test_what_is_no_answer_is_kept_for_later(asked: Seen, run: CommandLine) -> None:
    asked.enter("also look at the tests")
    asked.until(lambda: asked.input == "")
    assert QUESTION in asked.screen
    asked.enter("no")
    asked.until("Done.")
    asked.until(lambda: asked.input == "also look at the tests")


def test_a_half_typed_line_is_put_aside_while_a_question_stands(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Wait", tool_calls=WRITE.tool_calls, delay=0.2), Reply("Done."))
    seen = see()
    seen.ready()
    seen.enter("write it")
    seen.send("a half")
    seen.until(QUESTION)
    asked_at = time.monotonic()
    seen.until(lambda: seen.input == "")
    seen.send("n")
    seen.until(lambda: time.monotonic() > asked_at + TYPING)
    seen.enter("")
    seen.until("Done.")
    seen.until(lambda: seen.input == "a half")


def test_the_end_of_a_line_that_was_being_typed_is_no_answer(see: See, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(Reply("Wait", tool_calls=WRITE.tool_calls, delay=0.2), Reply("Done."))
    seen = see()
    seen.ready()
    seen.enter("write it")
    seen.send("plan ")
    seen.until(QUESTION)
    seen.enter("a")
    seen.until("that is no answer")
    seen.enter("n")
    seen.until("Done.")
    seen.until(lambda: seen.input == "plan a")


def test_a_dumb_terminal_asks_on_a_line(terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine) -> None:
    scripted_model.replies(WRITE, Reply("Done."))
    child = terminal(TERM="dumb")
    child.expect_exact("> ")
    child.sendline("write it")
    child.expect_exact(QUESTION)
    child.expect_exact("? ")
    child.sendline("perhaps")
    child.expect_exact("once, session, always or no? ")
    child.sendline("once")
    child.expect_exact("Done.")
    child.expect_exact("> ")
    child.sendeof()
    child.expect(pexpect.EOF)
    assert (run.workspace / "notes.md").read_text() == "hello\n"
    assert "\x1b" not in child.before


def test_ctrl_c_at_a_question_on_a_dumb_terminal_cancels_the_turn(
    terminal: Terminal, scripted_model: ScriptedServer, run: CommandLine
) -> None:
    scripted_model.replies(WRITE)
    child = terminal(TERM="dumb")
    child.expect_exact("> ")
    child.sendline("write it")
    child.expect_exact("Enter means no)")
    child.sendintr()
    child.expect_exact("Cancelled.")
    child.expect_exact("> ")
    assert not (run.workspace / "notes.md").exists()


def test_piped_input_is_never_asked(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(WRITE, Reply("Done."))
    done = run(stdin="write it\nonce\n")
    assert "May the model" not in done.stderr
    assert "there is nobody to ask" in done.stderr
    assert not (run.workspace / "notes.md").exists()


def test_allow_says_yes_beforehand(run: CommandLine, scripted_model: ScriptedServer) -> None:
    scripted_model.replies(WRITE, Reply("Done."))
    assert run("--allow", "write", stdin="write it\n").code == 0
    assert (run.workspace / "notes.md").read_text() == "hello\n"
