"""A diff is one that git understands, and is made in no time whatever the two texts are."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from onbook.policy.undo import Change
from onbook.session.differences import unified

texts = st.lists(st.sampled_from("abc\r\x0b"), min_size=1, max_size=14).map("\n".join)


def diff(old: bytes | None, new: bytes | None) -> str:
    return "\n".join(unified(Change("f", old, new))) + "\n"


@given(old=texts, new=texts)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_git_makes_the_new_text_of_the_old_one_and_the_diff(tmp_path: Path, old: str, new: str) -> None:
    if old == new:
        return
    file = tmp_path / "f"
    file.write_bytes(old.encode())
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=diff(old.encode(), new.encode()).encode(), check=True)
    assert file.read_bytes() == new.encode()


def test_lines_far_from_the_change_are_left_out_and_counted() -> None:
    old = "".join(f"{number}\n" for number in range(1, 5001)).encode()
    assert diff(old, old.replace(b"\n2500\n", b"\nnew\n")).splitlines() == [
        *("--- a/f", "+++ b/f", "@@ -2497,7 +2497,7 @@"),
        *(" 2497", " 2498", " 2499", "-2500", "+new", " 2501", " 2502", " 2503"),
    ]


@pytest.mark.timeout(20)
def test_a_large_file_that_is_another_one_altogether_counts_as_replaced() -> None:
    # Left to difflib, these two would take hours, while nothing else could happen.
    old = "".join(f"line {number % 201}\n" for number in range(100_000)).encode()
    new = "".join(f"line {(number * 7 + 1) % 201}\n" for number in range(100_000)).encode()
    assert [line for line in diff(old, new).splitlines() if line.startswith("@@")] == ["@@ -1,100000 +1,100000 @@"]


def test_a_new_file_and_a_file_that_is_gone_have_nothing_on_the_other_side() -> None:
    assert diff(None, b"a\n") == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    assert diff(b"a\n", None) == "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
