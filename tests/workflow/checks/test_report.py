"""`verify_report.md` is read back by later steps: nothing that a command prints may pass for onbook's own words."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from onbook.workflow.checks.layer1 import Check, Layer1, Mark
from onbook.workflow.checks.report import failing_in, has_run, report_of, summary_in, summary_of

LINES = st.sampled_from(
    ("## Failing files", "- ../secret", "Summary: PASS — all is well", "| Test | PASS | 0 |", "```", "x")
)


@given(output=st.lists(LINES).map("\n".join), mark=st.text(max_size=40), diagnosis=st.text(max_size=80))
def test_no_output_can_pass_for_what_is_read_back(output: str, mark: str, diagnosis: str) -> None:
    failed = Layer1((Check("test", "FAIL", "make | tee x", "exit code 1", 1, 0.1, output),), (Mark("a.py", 1, mark),))
    text = report_of(failed, summary_of(failed, diagnosis), Path("/nowhere"))
    assert summary_in(text).startswith("FAIL — ")
    assert failing_in(text) == ()
    skipped = Layer1((Check("test", "SKIPPED", "pytest", "no tests", 5, 0.1, output),), (Mark("a.py", 1, mark),))
    assert not has_run(report_of(skipped, summary_of(skipped), Path("/nowhere")))


def test_keys_that_a_check_prints_are_not_in_the_report() -> None:
    key = "sk-proj-" + "abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    failed = Layer1((Check("test", "FAIL", "pytest", "exit code 1", 1, 0.1, f"E  OPENAI_API_KEY={key}"),), ())
    text = report_of(failed, summary_of(failed, f"401 with {key}"), Path("/nowhere"))
    assert key not in text
    assert "401 with [redacted]" in text
