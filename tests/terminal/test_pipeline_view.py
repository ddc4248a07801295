"""A prompt pipeline on the screen: the seed's lines to the character, live text, the answer once, a closing table."""

import os
import pty
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pyte
import pytest

from onbook.cells import width
from onbook.events import Note, ReasoningDelta, RunStarted, StepStarted
from onbook.terminal.board import Board
from onbook.terminal.live_view import LiveView
from onbook.terminal.surface import Surface
from onbook.terminal.view import TextView
from tests.conftest import eventually
from tests.terminal.chain import RUN, Chain

BELOW = "pipeline stopped at step 2/2: confidence 0.72 below threshold 0.90"


class Screen:
    """A pseudo-terminal of 100 columns, and what stands on it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self._master, slave = pty.openpty()
        self._written = os.fdopen(slave, "w", encoding="utf-8")
        termios.tcsetwinsize(slave, (40, 100))
        self._screen = pyte.Screen(100, 40)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def view(self, stdout: TextIO | None = None) -> TextView:
        """A view for this terminal, with standard output elsewhere if wanted."""
        self._monkeypatch.setenv("TERM", "xterm-256color")
        self._monkeypatch.setattr(sys, "stdout", stdout or self._written)
        self._monkeypatch.setattr(sys, "stderr", self._written)
        return TextView()

    @property
    def rows(self) -> list[str]:
        """What a person sees, without the empty rows at the end."""
        last = "\x1b[0;0m"
        self._written.write(last)
        self._written.flush()
        eventually(lambda: self.raw.endswith(last.encode()))
        return "\n".join(row.rstrip() for row in self._screen.display).rstrip("\n").split("\n")

    def until(self, text: str) -> None:
        """Wait until that was written."""
        eventually(lambda: text.encode() in self.raw)

    def close(self) -> None:
        self._written.close()
        self._reader.join()
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # all have left
                return
            self._stream.feed(data)
            self.raw += data


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    screen = Screen(monkeypatch)
    yield screen
    screen.close()


@pytest.fixture
def board() -> Board:
    return Board()


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch, board: Board) -> LiveView:
    """The view of a session, which writes to standard output at once."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    return LiveView(Surface(), board, lambda: "info")


def waits_for(board: Board) -> str:
    """What the spinner says."""
    return board.waiting.label if board.waiting is not None else ""


def test_the_answer_goes_to_standard_output_and_everything_else_to_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chain = Chain(TextView())
    chain.begin()
    chain.step(1, "A list.\n", 0.91)
    chain.step(2, "The end.\n", 0.93)
    chain.end("The end.\n")
    said = capsys.readouterr()
    assert said.out == "The end.\n"
    assert said.err.splitlines() == [
        "Step 1/2 [setup.md] — confidence: 0.91 ✓",
        "Step 2/2 [step1.md] — confidence: 0.93 ✓",
        "STEP        MODEL          CONFIDENCE  METHOD  TOKENS    TIME",
        "1 setup.md  llama3:latest  0.91        block   120 + 45  1.2 s",
        "2 step1.md  llama3:latest  0.93        block   120 + 45  1.2 s",
    ]


def test_a_rejected_reply_never_reaches_standard_output_and_the_reason_is_said_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chain = Chain(TextView())
    chain.begin()
    chain.step(1, "A list.\n", 0.91)
    chain.step(2, "Perhaps.\n", 0.72)
    chain.end(outcome="below_threshold", error=BELOW)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[1:-3] == ["Step 2/2 [step1.md] — confidence: 0.72 ✗ (threshold: 0.90)"]
    assert "Perhaps" not in said.err
    assert "stopped" not in said.err


@pytest.mark.parametrize(
    ("score", "method", "line"),
    [
        (0.8, "wording", "confidence: 0.80 ✗ (threshold: 0.90) · guessed from wording"),
        (0.9, "wording", "confidence: 0.90 ✓ · guessed from wording"),
        (0.8999, "follow-up", "confidence: 0.8999 ✗ (threshold: 0.9000)"),
        (1.0, "samples", "confidence: 1.00 ✓"),
    ],
)
def test_a_weak_method_is_named_and_a_near_miss_is_no_hit(
    capsys: pytest.CaptureFixture[str], score: float, method: str, line: str
) -> None:
    chain = Chain(TextView(), ("a.md",))
    chain.begin()
    chain.step(1, "So.", score, method)
    assert capsys.readouterr().err == f"Step 1/1 [a.md] — {line}\n"


def test_a_step_from_the_journal_says_so_on_its_line_and_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(TextView())
    chain.begin()
    chain.reuse(1, 0.95)
    chain.step(2, "The end.", 0.93)
    chain.end("The end.")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Step 1/2 [setup.md] — confidence: 0.95 ✓ · reused"
    assert lines[-2:] == [
        "1 setup.md  -              0.95        block   -         reused",
        "2 step1.md  llama3:latest  0.93        block   120 + 45  1.2 s",
    ]


def test_a_step_that_fails_for_another_reason_says_it_once(capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(TextView())
    chain.begin()
    chain.step(1, "A list.")
    chain.ask(2)
    chain.failed(2, "pipeline: step 2 context limit exceeded")
    chain.end(outcome="model_failed", error="pipeline: step 2 context limit exceeded")
    lines = capsys.readouterr().err.splitlines()
    assert lines[1:3] == [
        "Step 2/2 [step1.md] ........................... 1.25s ✗",
        "Error: pipeline: step 2 context limit exceeded",
    ]
    assert lines[-1].split() == ["2", "step1.md", "llama3:latest", "-", "-", "-", "1.2", "s"]


def test_what_costs_money_has_a_column_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(TextView())
    chain.begin()
    for number, money in ((1, 0.5), (2, None)):
        chain.ask(number)
        chain.answered(number, "So.", money)
        chain.judged(number)
    chain.end("So.")
    head, *rows = capsys.readouterr().err.splitlines()[-3:]
    assert [line.split()[-1] for line in (head, *rows)] == ["COST", "$0.50", "-"]


def test_what_costs_nothing_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(TextView(), ("a.md",))
    chain.begin()
    chain.ask(1)
    chain.answered(1, "So.", money=0.0)
    chain.judged(1)
    chain.end("So.")
    assert "COST" not in capsys.readouterr().err


def test_a_run_that_ends_before_its_first_step_has_no_table(capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(TextView())
    chain.begin()
    chain.end(outcome="usage", error='pipeline: cannot read "setup.md": no such file')
    assert capsys.readouterr().err == 'onbook: pipeline: cannot read "setup.md": no such file\n'


def test_on_one_terminal_the_last_reply_stands_as_the_answer(screen: Screen) -> None:
    chain = Chain(screen.view())
    chain.begin()
    chain.step(1, "A list.")
    chain.step(2, "The end.\n")
    chain.end("The end.\n")
    assert screen.rows[:4] == [
        "A list.",
        "Step 1/2 [setup.md] — confidence: 0.93 ✓",
        "The end.",
        "Step 2/2 [step1.md] — confidence: 0.93 ✓",
    ]
    assert screen.raw.count(b"The end.") == 1
    assert b"\x1b[2mA list.\x1b[0m" in screen.raw
    assert b"\x1b[2mThe end." not in screen.raw


def test_an_answer_that_was_not_the_one_shown_is_given(screen: Screen) -> None:
    chain = Chain(screen.view(), ("a.md",))
    chain.begin()
    chain.step(1, "First sample.", method="samples")
    chain.end("Second sample.")
    assert "Second sample." in screen.rows


def test_an_answer_from_the_journal_is_given(screen: Screen) -> None:
    chain = Chain(screen.view())
    chain.begin()
    chain.step(1, "The end.")
    chain.reuse(2)
    chain.end("The end.")
    assert screen.rows.count("The end.") == 2


def test_the_answer_goes_to_a_file_whatever_stands_on_the_screen(screen: Screen, tmp_path: Path) -> None:
    with (tmp_path / "answer").open("w") as file:
        chain = Chain(screen.view(stdout=file), ("a.md",))
        chain.begin()
        chain.step(1, "The end.")
        chain.end("The end.")
    assert (tmp_path / "answer").read_text() == "The end.\n"
    screen.until("\x1b[2mThe end.\x1b[0m")


def test_the_spinner_names_the_step_and_its_context(screen: Screen) -> None:
    chain = Chain(screen.view(), ("setup.md", "step1.md", "step2.md"))
    chain.begin()
    chain.ask(1)
    screen.until("⠋ [1/3] setup.md | context 12% | 0s")
    chain.say(1, "A list.")
    assert screen.rows == ["A list."]
    assert "spinner" not in [thread.name for thread in threading.enumerate()]


def test_thoughts_and_words_of_a_step_have_lines_of_their_own(screen: Screen) -> None:
    chain = Chain(screen.view(), ("a.md",))
    chain.begin()
    chain.ask(1)
    chain.emit(ReasoningDelta(run="p1", time=0.0, text="Hm."))
    chain.say(1, "So.")
    chain.emit(Note(run="p1", time=0.0, text="by the way"))
    assert screen.rows == ["Hm.", "So.", "onbook: by the way"]


def test_a_narrow_terminal_gets_shorter_names_and_every_column(screen: Screen) -> None:
    long = "prompts/" + "x" * 60 + ".md"
    chain = Chain(screen.view(), (long,), model="provider/" + "y" * 40)
    chain.begin()
    chain.step(1, "The end.")
    chain.end("The end.")
    head, row = screen.rows[-2:]
    assert len(row) <= 100
    assert row.endswith("0.93        block   120 + 45  1.2 s")
    assert head.index("CONFIDENCE") == row.index("0.93")


def test_a_session_shows_replies_lines_and_table_and_the_answer_once(
    session: LiveView, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = Chain(session)
    chain.begin()
    chain.step(1, "A list.\n", 0.91)
    chain.step(2, "The end.\n", 0.93)
    chain.end("The end.\n")
    assert capsys.readouterr().out.splitlines() == [
        "A list.",
        "Step 1/2 [setup.md] — confidence: 0.91 ✓",
        "The end.",
        "Step 2/2 [step1.md] — confidence: 0.93 ✓",
        "STEP        MODEL          CONFIDENCE  METHOD  TOKENS    TIME",
        "1 setup.md  llama3:latest  0.91        block   120 + 45  1.2 s",
        "2 step1.md  llama3:latest  0.93        block   120 + 45  1.2 s",
    ]


def test_a_session_gives_an_answer_that_was_not_the_one_shown(
    session: LiveView, capsys: pytest.CaptureFixture[str]
) -> None:
    chain = Chain(session, ("a.md",))
    chain.begin()
    chain.step(1, "First sample.", method="samples")
    chain.end("Second sample.")
    assert "Second sample." in capsys.readouterr().out.splitlines()


def test_a_session_s_spinner_names_the_step_and_the_context_of_its_model(session: LiveView, board: Board) -> None:
    board.context_used = 0.5
    chain = Chain(session)
    chain.begin()
    chain.ask(1, context_used=None)
    assert waits_for(board) == "[1/2] setup.md | context ?"
    chain.say(1, "A l")
    assert [text for _, text in board.above(80, 5)] == ["A l\n"]


def test_a_session_waits_again_for_a_model_that_fell_silent(session: LiveView, board: Board) -> None:
    chain = Chain(session)
    chain.begin()
    chain.ask(1)
    chain.say(1, "A list.")
    assert board.waiting is not None
    assert board.waiting.since > time.monotonic()
    board.wait_for(board.waiting.label, after=-3)
    assert board.above(80, 5)[-1][1].endswith("[1/2] setup.md | context 12% | 3s\n")


def test_a_note_comes_after_what_was_said_before_it(session: LiveView, capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(session)
    chain.begin()
    chain.ask(1)
    chain.say(1, "A list.")
    chain.emit(Note(run="p1", time=0.0, text="another one goes on"))
    assert capsys.readouterr().out == "A list.\nonbook: another one goes on\n"


def test_the_context_of_the_conversation_is_not_that_of_a_step(session: LiveView, board: Board) -> None:
    board.context_used = 0.25
    chain = Chain(session)
    chain.begin()
    chain.step(1, "A list.")
    assert board.context_used == 0.25


@pytest.mark.parametrize("kind", ["pipeline", "workflow"])
def test_a_session_says_the_error_of_a_prompt_once(
    session: LiveView, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    chain = Chain(session, ("a.md",), kind=kind)
    chain.begin()
    chain.ask(1)
    chain.failed(1, "the model went home")
    chain.end(outcome="model_failed", error="the model went home")
    assert capsys.readouterr().out.count("the model went home") == 1


@pytest.mark.parametrize("view", ["text", "session"])
def test_being_cancelled_is_said_once_for_all_runs_around_it(
    session: LiveView, capsys: pytest.CaptureFixture[str], view: str
) -> None:
    chain = Chain(session if view == "session" else TextView(), ("a.md",))
    chain.emit(RunStarted(run="c", time=0.0, kind="command", input="/pipeline 90% a.md", workspace="/w"))
    chain.begin()
    chain.ask(1)
    chain.failed(1, "", "cancelled")
    chain.end(outcome="cancelled")
    chain.end(outcome="cancelled", run="c")
    said = "".join(capsys.readouterr())
    assert "Step 1/1 [a.md] ............................... 1.25s ✗ cancelled\n" in said
    assert said.count("Cancelled.") == 1


def test_a_prompt_of_a_workflow_keeps_its_line_of_costs(capsys: pytest.CaptureFixture[str]) -> None:
    chain = Chain(TextView(), ("a.md",), kind="workflow")
    chain.begin()
    chain.step(1, "So.")
    chain.end("So.")
    said = capsys.readouterr()
    assert said.out == ""  # whoever runs the workflow gives its output
    assert said.err.splitlines() == [
        "[Workflow: a.md]",
        "llama3:latest · 120 + 45 tokens · 1.2 s · context 50%",
        "Step 1/1: a.md ................................ 1.25s ✓ confidence: 0.93",
    ]


def test_a_step_of_many_prompts_counts_them_beside_the_one_that_is_asked(session: LiveView, board: Board) -> None:
    chain = Chain(session, ("each", "a.md"), kind="workflow")
    chain.begin()
    chain.emit(StepStarted(run=RUN, time=0.0, address="each", name="each", kind="foreach", index=1, total=2))
    chain.emit(StepStarted(run=RUN, time=0.0, address="each/each[1]", name="x", kind="item", index=1, total=40))
    assert waits_for(board) == "Step 1/2: each | 0/40"
    chain.ask(1)
    assert waits_for(board) == "[1/2] each | context 12% | 0/40"


def test_a_model_that_is_asked_again_unheard_shows_a_sign_of_life_below_what_it_said(screen: Screen) -> None:
    chain = Chain(screen.view())
    chain.begin()
    chain.ask(1)
    chain.say(1, "A list.")
    chain.emit(Note(run="p1", time=0.0, text="asked again how sure it is", level="debug"))
    screen.until("[1/2] setup.md | context 12%")
    assert screen.rows[0] == "A list."
    chain.answered(1, "A list.")
    chain.judged(1, 0.91, "follow-up")
    screen.until("0.91 ✓")
    assert screen.rows[:2] == ["A list.", "Step 1/2 [setup.md] — confidence: 0.91 ✓"]


def test_wide_names_keep_the_spinner_on_its_row_and_the_table_in_its_columns(screen: Screen) -> None:
    chain = Chain(screen.view(), files=("長い名前" * 15 + ".md", "名前.md"))
    chain.begin()
    chain.ask(1)
    for frame in "⠋⠙⠹":
        screen.until(frame)
    assert len(screen.rows) == 1
    chain.answered(1, "A list.")
    chain.judged(1)
    chain.step(2, "The end.\n")
    chain.end("The end.\n")
    screen.until("2 名前.md")
    *_, head, first, second = (row.replace("\0", "") for row in screen.rows)
    assert width(first) <= 100
    assert [width(row[: row.index("0.93")]) for row in (first, second)] == [head.index("CONFIDENCE")] * 2
