"""A prompt pipeline that is watched at a terminal: live text, a spinner, the answer once."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from onbook.cells import width
from onbook.events import Note, ReasoningDelta
from tests.terminal.chain import Chain
from tests.terminal.screen import Screen


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    screen = Screen(monkeypatch)
    yield screen
    screen.close()


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
    screen.until("confidence: 0.91")
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
