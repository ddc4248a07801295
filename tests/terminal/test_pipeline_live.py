"""A prompt pipeline in a session: replies as they come, lines and table, the answer once."""

import time

import pytest

from onbook.events import Note, RunStarted, StepStarted
from onbook.terminal.board import Board
from onbook.terminal.live_view import LiveView
from onbook.terminal.surface import Surface
from onbook.terminal.view import TextView
from tests.terminal.chain import RUN, Chain


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


def test_a_step_of_many_prompts_counts_them_beside_the_one_that_is_asked(session: LiveView, board: Board) -> None:
    chain = Chain(session, ("each", "a.md"), kind="workflow")
    chain.begin()
    chain.emit(StepStarted(run=RUN, time=0.0, address="each", name="each", kind="foreach", index=1, total=2))
    chain.emit(StepStarted(run=RUN, time=0.0, address="each/each[1]", name="x", kind="item", index=1, total=40))
    assert waits_for(board) == "Step 1/2: each | 0/40"
    chain.ask(1)
    assert waits_for(board) == "[1/2] each | context 12% | 0/40"
