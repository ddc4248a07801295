"""Gates before a person: a list above the prompt, a list of its own, numbers on a terminal that cannot draw."""

import sys
import time
from pathlib import Path

import pytest

from onbook.terminal.asker import TYPING
from onbook.terminal.gate_list import GateList
from onbook.workflow.gates import Answer
from tests.conftest import CommandLine, write_script
from tests.scripted import ScriptedServer
from tests.terminal.conftest import Seen
from tests.terminal.staging import AtGate
from tests.terminal.staging import at_gate as at_gate
from tests.warm import ROOT
from tests.workflow.questions import question_at

UP, DOWN, ENTER, CTRL_C = "\x1b[A", "\x1b[B", "\r", "\x03"
KEYS = "↑ ↓ or a number, then Enter"


@pytest.fixture
def listed(at_gate: AtGate) -> Seen:
    """A command in a terminal that stands at the gate `spec`."""
    seen = at_gate("ask", "/gate spec")
    seen.until(KEYS)
    return seen


@pytest.fixture
def session(at_gate: AtGate) -> Seen:
    """A session that stands at the gate `spec`."""
    seen = at_gate()
    seen.ready()
    seen.enter("/gate spec")
    seen.until(KEYS)
    return seen


def test_the_list_shows_labels_and_what_they_mean_with_free_text_last() -> None:
    assert GateList(question_at("commit")).lines == [
        "  1. Commit code only (Recommended) — Clean artifacts, commit code changes only",
        "  2. Commit all — Commit everything including artifacts",
        "  3. No commit — Clean .harness/ only, keep changes in working tree",
        "  4. Other — Write something else; it is shown back and you are asked again",
    ]


def test_the_arrows_go_round_and_enter_takes_what_they_reached() -> None:
    listed = GateList(question_at("clean"))
    assert listed.entered("") is None
    listed.move(1)
    assert listed.entered("") == Answer("yes")
    listed.move(1)
    assert listed.lines[1].startswith("❯ 2. No")
    listed.move(1)
    assert listed.entered("") is None  # free text that is not written yet
    listed.move(1)
    assert listed.entered("") == Answer("yes")
    listed.move(-1)
    assert listed.lines[2].startswith("❯ 3. Other")


@pytest.mark.parametrize("line", ["0", "4", "99", "-1", "1.", "²", "", "y"])
def test_a_number_that_is_none_of_the_choices_chooses_nothing(line: str) -> None:
    assert GateList(question_at("clean")).entered(line) is None


def test_whoever_picks_the_last_row_is_told_what_it_is_for() -> None:
    listed = GateList(question_at("clean"))
    assert listed.entered("3") is None
    assert listed.shown_back("3") == "Other: Write something else; it is shown back and you are asked again"
    listed.move(-1)
    assert listed.shown_back("") == listed.shown_back("3")


def test_a_number_longer_than_any_list_is_no_choice() -> None:
    assert GateList(question_at("clean")).entered("9" * 5000) is None


def test_what_is_shown_back_cannot_drive_the_terminal() -> None:
    assert GateList(question_at("clean")).shown_back("\x1b[2Jhm") == (
        "You wrote: \\x1b[2Jhm — that is none of the choices, so nothing was chosen."
    )


def test_the_arrow_keys_choose_in_a_plain_terminal(listed: Seen) -> None:
    listed.send(DOWN)
    listed.until("❯ 1. Proceed")
    listed.send(DOWN + ENTER)
    listed.until("chose modify!")
    assert listed.end() == 0
    assert "Spec: Modify" in listed.all
    assert KEYS not in listed.all


def test_a_stray_enter_chooses_nothing_and_own_words_ask_for_changes(listed: Seen) -> None:
    listed.send(ENTER)
    listed.until("nothing was chosen")
    listed.enter("leave the tests out")
    listed.until("chose modify leave the tests out!")
    assert listed.end() == 0


def test_ctrl_c_stops_at_the_gate_and_ends_as_waiting(listed: Seen) -> None:
    listed.send(CTRL_C)
    listed.until("onbook: stopped at the gate spec; go on with onbook workflow resume")
    assert listed.end() == 4


def test_a_gate_speaks_the_user_s_language(at_gate: AtGate) -> None:
    seen = at_gate("ask", "/gate spec ko")
    seen.until("1. 진행 — 명세대로 구현 시작")
    seen.until("4. 기타")
    seen.enter("3")
    seen.until("chose stop!")
    assert seen.end() == 0


def test_a_dumb_terminal_gets_numbered_lines(at_gate: AtGate) -> None:
    seen = at_gate("ask", "/gate commit", TERM="dumb")
    seen.until("  2. Commit all — Commit everything including artifacts")
    seen.until("Number, or your own words:")
    seen.enter("perhaps")
    seen.until("You wrote: perhaps")
    seen.enter("2")
    seen.until("chose all!")
    assert seen.end() == 0
    assert "\x1b" not in seen.raw


def test_ctrl_c_at_a_dumb_terminal_stops_at_the_gate(at_gate: AtGate) -> None:
    seen = at_gate("ask", "/gate commit", TERM="dumb")
    seen.until("your own words:")
    seen.send(CTRL_C)
    seen.until("stopped at the gate commit")
    assert seen.end() == 4


def test_piped_input_never_answers_a_gate(run: CommandLine, scripted_model: ScriptedServer) -> None:
    script = '$python -m tests.terminal.at_gate ask "/gate spec"'
    done = run.shell(f"yes 1 | head -5 | {script}", python=sys.executable, PYTHONPATH=str(ROOT))
    assert done.code == 4
    assert "waiting at the gate spec" in done.stderr
    assert "chose" not in done.stdout


def test_in_a_session_the_list_stands_above_the_prompt(session: Seen) -> None:
    assert "Review the spec above." in session.all
    session.send(DOWN)
    session.until("❯ 1. Proceed")
    session.send(UP)
    session.until("❯ 4. Other")
    session.enter("2")
    session.until("Spec: Modify")
    session.until("chose modify!")
    assert KEYS not in session.screen
    assert session.leave() == 0


def test_ctrl_c_in_a_session_stops_the_workflow_and_the_session_goes_on(session: Seen) -> None:
    session.send(CTRL_C)
    session.until("onbook: stopped at the gate spec")
    session.ready()
    assert "Cancelled." not in session.all
    assert session.leave() == 0


def test_a_half_typed_line_is_back_after_the_gate(at_gate: AtGate) -> None:
    seen = at_gate()
    seen.ready()
    seen.send("/gate spec\rnext thing")
    seen.until(KEYS)
    asked_at = time.monotonic()
    seen.until(lambda: seen.input == "")
    seen.until(lambda: time.monotonic() > asked_at + TYPING)
    seen.enter("stop")
    seen.until("chose stop!")
    seen.until(lambda: seen.input == "next thing")


@pytest.mark.parametrize("command", ["ask", ""])
def test_modify_opens_the_person_s_editor(at_gate: AtGate, workspace: Path, command: str) -> None:
    (workspace / "spec.md").write_text("old\n")
    write_script(workspace / "editor.sh", 'echo new > "$1"')
    editor = str(workspace / "editor.sh")
    if command:
        seen = at_gate("ask", "/revise spec.md", VISUAL=editor)
    else:
        seen = at_gate(VISUAL=editor)
        seen.ready()
        seen.enter("/revise spec.md")
    seen.until("edited: True")
    assert (workspace / "spec.md").read_text() == "new\n"


def test_an_editor_that_fails_is_said_and_nothing_changed(at_gate: AtGate) -> None:
    seen = at_gate("ask", "/revise spec.md", VISUAL="false")
    seen.until("edited: False")
    assert "onbook: false: Editing failed" in seen.all
    assert seen.end() == 0
