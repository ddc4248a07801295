"""A task on the screen: the seed's lines and nothing else without a terminal, a living tree in one."""

from pathlib import Path

import pytest

from onbook.events import AnyEvent, GateAnswered, GateWaiting, Option, RunFinished, Totals
from onbook.terminal.harness_view import GateLines, HarnessView
from onbook.terminal.view import TextView
from tests.terminal.harness_events import BEGUN, ENDED, STARTED, agent, answered, asked, ended, phase
from tests.terminal.staging import AtGate
from tests.terminal.staging import at_gate as at_gate

TREE = "└ architect · llama3 · 0 s · ~5 tokens · write_file spec.md"


def view_of(*events: AnyEvent) -> tuple[HarnessView, list[str]]:
    """A view that has taken these events, and every line it gave."""
    view = HarnessView(STARTED)
    return view, [line for event in events if view.covers(event) for line in view.take(event)]


def test_without_a_terminal_the_task_s_own_lines_are_all_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    view = TextView()
    for event in (*BEGUN, *ENDED):
        view(event)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "[harness] Phase: Plan",
        "✓ spec generated — 3 steps",
        "[harness] ✓ QA PASS — task complete.",
    ]


def test_the_path_of_a_report_that_says_fail_is_a_result_too(capsys: pytest.CaptureFixture[str]) -> None:
    view = TextView()
    view(STARTED)
    path = "docs/harness/x/verify_report.md\n"
    view(RunFinished(run=STARTED.run, time=2.0, outcome="below_threshold", exit_code=3, text=path, totals=Totals()))
    assert capsys.readouterr().out == path


def test_the_tree_names_the_phase_and_who_works_with_model_time_tokens_and_tool() -> None:
    view, lines = view_of(*BEGUN[1:])
    assert (view.title, view.rows(), lines) == ("Plan", [TREE], [])


def test_what_has_ended_leaves_a_line_with_what_it_took() -> None:
    _, lines = view_of(*BEGUN[1:], *ENDED)
    assert lines == [
        "  ✓ architect · llama3 · 1,800 + 430 tokens · 1.2 s",
        "✓ Plan · 1,800 + 430 tokens · 2.0 s",
        "  ✗ pytest -q · 1 failed · 0.5 s",
        "✓ Verify · 0.8 s",
    ]


def test_agents_at_the_same_time_stand_below_each_other_and_are_added_up() -> None:
    both = [agent("plan/architect"), agent("plan/qa_specialist")]
    view, _ = view_of(phase("plan"), *both, asked("a", "plan/architect"), asked("q", "plan/qa_specialist", "opus"))
    assert view.rows() == ["├ architect · llama3 · 0 s", "└ qa_specialist · opus · 0 s"]
    ends: list[AnyEvent] = [
        answered("a", 10, 1),
        answered("q", 20, 2),
        ended("plan/qa_specialist"),
        ended("plan/architect"),
    ]
    lines = [line for event in (*ends, ended("plan", 3.0)) for line in view.take(event)]
    assert lines[-1] == "✓ Plan · 30 + 3 tokens · 3.0 s"


def test_several_tries_of_an_agent_are_added_up() -> None:
    tries: list[AnyEvent] = [
        asked("a", "plan/architect"),
        answered("a", 10, 1),
        asked("b", "plan/architect"),
        answered("b", 20, 2),
    ]
    _, lines = view_of(phase("plan"), agent("plan/architect"), *tries, ended("plan/architect"))
    assert lines == ["  ✓ architect · llama3 · 30 + 3 tokens · 1.2 s"]


@pytest.mark.parametrize(
    ("outcome", "error", "line"),
    [
        ("failed", "it broke", "  ✗ architect · 1.2 s · it broke"),
        ("cancelled", "", "  cancelled architect · 1.2 s"),
        ("waiting", "stopped at the gate artefact", "  … architect · 1.2 s"),
    ],
)
def test_an_end_that_is_no_success_says_so(outcome: str, error: str, line: str) -> None:
    _, lines = view_of(phase("plan"), agent("plan/architect"), ended("plan/architect", outcome=outcome, error=error))
    assert lines == [line]


def test_an_agent_of_another_task_is_not_in_the_tree() -> None:
    elsewhere = asked("x", "plan/architect", within="another")
    view, _ = view_of(phase("plan"), agent("plan/architect"), elsewhere, answered("x", 10, 1))
    assert view.rows() == ["└ architect · 0 s"]


def test_a_decision_is_told_in_the_words_of_the_question() -> None:
    lines = GateLines()
    options = (Option("modify", "Ändern"), Option("stop", "Anhalten"))
    lines.waits(GateWaiting(run="h", time=0.0, gate="spec", header="Spec", question="?", options=options))
    answer = GateAnswered(run="h", time=0.0, gate="spec", choice="modify", by="person", text="smaller\nplease")
    assert lines.answered(answer) == "Spec: Ändern — smaller …"


@pytest.mark.parametrize("command", [("ask", "/task"), ()], ids=["plain", "session"])
def test_the_tree_lives_in_a_terminal_and_leaves_its_lines(
    at_gate: AtGate, workspace: Path, command: tuple[str, ...]
) -> None:
    seen = at_gate(*command)
    if not command:
        seen.ready()
        seen.enter("/task")
    seen.until("└ architect · llama3 · ")
    seen.until("Plan | ")
    (workspace / "go").touch()
    seen.until("[harness] ✓ QA PASS — task complete.")
    shown = [line.strip() for line in seen.all.splitlines()]
    assert "✓ architect · llama3 · 1,800 + 430 tokens · 1.2 s" in shown
    assert "2 passed" in shown
    seen.until(lambda: "└" not in seen.all)
