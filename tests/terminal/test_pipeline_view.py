"""A prompt pipeline in lines: the seed's to the character, the answer on standard output, a closing table."""

import pytest

from onbook.terminal.view import TextView
from tests.terminal.chain import Chain

BELOW = "pipeline stopped at step 2/2: confidence 0.72 below threshold 0.90"


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
