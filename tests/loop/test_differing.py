"""What is said of a change: short enough to read, whatever an iteration printed."""

from hypothesis import given
from hypothesis import strategies as st

from onbook.loop.differing import MOST_IN_A_LINE, MOST_LINES, difference


def test_an_answer_is_no_file_that_lacks_a_newline() -> None:
    assert difference("calm", "storm", 3) == "changed since iteration 3:\n@@ -1 +1 @@\n-calm\n+storm"


def test_a_long_line_is_cut() -> None:
    lines = difference("x" * 100_000, "y", 1).splitlines()
    assert lines[2] == f"-{'x' * (MOST_IN_A_LINE - 1)} … {100_001 - MOST_IN_A_LINE:,} more characters"


def test_of_many_lines_the_first_are_shown() -> None:
    lines = difference("", "\n".join(map(str, range(200))), 1).splitlines()
    assert (len(lines), lines[-1]) == (MOST_LINES + 2, "… 141 more lines")


@given(st.text(), st.text())
def test_no_change_is_too_large_to_read(before: str, now: str) -> None:
    lines = difference(before, now, 1).split("\n")
    assert len(lines) <= MOST_LINES + 2
    assert max(map(len, lines)) <= MOST_IN_A_LINE + len(" … 999,999,999 more characters")
