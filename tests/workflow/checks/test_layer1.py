"""Layer 1: the commands as they are run, and the counts that test programs print. Runs of it are in `test_verify`."""

import pytest

from onbook.workflow.checks.counts import counts_in
from onbook.workflow.checks.layer1 import command_of
from onbook.workflow.state.state import State


@pytest.mark.parametrize(
    ("scopes", "where"),
    [((), "."), (("src/",), "src"), (("src/**/*.py", "tests/", "!src/x.py"), "src tests"), (("*.py",), ".")],
)
def test_the_scope_in_a_command_is_where_it_lies(scopes: tuple[str, ...], where: str) -> None:
    state = State(task="t", scopes=scopes, lint_cmd="pylint {scope}")
    assert command_of(state, "lint") == f"pylint {where}"


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("==== 1 failed, 2 passed, 1 warning in 0.12s ====", "1 failed, 2 passed, 1 warning"),
        ("3 passed in 0.01s", "3 passed"),
        ("test result: FAILED. 3 passed; 1 failed; 0 ignored", "3 passed; 1 failed"),
        ("Tests:       1 failed, 3 passed, 4 total\nTime: 1s", "1 failed, 3 passed, 4 total"),
        ("      Tests  1 failed | 3 passed (4)", "1 failed | 3 passed (4)"),
        ("[INFO] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0"),
        (
            "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3",
            "Failed: 1, Passed: 2, Skipped: 0, Total: 3",
        ),
        ("ok  \texample.org/a\t0.1s\nFAIL\texample.org/b\t0.2s\n", "1 packages ok, 1 failed"),
        ("Ran 4 tests in 0.001s\n\nOK", "Ran 4 tests"),
        ("nothing to see", ""),
    ],
)
def test_counts_are_read_from_the_usual_programs(output: str, counts: str) -> None:
    assert counts_in(output) == counts
