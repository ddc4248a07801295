"""Seed 4, Step 1.3: a task's name for folders and branches."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.workflow.files.paths import RESERVED
from onbook.workflow.setup.slug import LONGEST, slug_of, with_suffix


@pytest.mark.parametrize(
    ("task", "slug"),
    [
        ("Add a dark-mode toggle!", "add-a-dark-mode-toggle"),
        ("Fix bug #123: login/logout", "fix-bug-123-loginlogout"),
        ("keep snake_case names", "keep-snake_case-names"),
        ("Größe prüfen", "grosse-prufen"),
        ("设置 页面", "she-zhi-ye-mian"),
        ("x" * 80, "x" * 50),
        ("  --  spaced   out -- ", "spaced-out"),
    ],
)
def test_a_slug_is_plain_lowercase_ascii(task: str, slug: str) -> None:
    assert slug_of(task) == slug


@pytest.mark.parametrize("task", ["", "!!!", "🎉", "memory", "Planner!", "con", "nul", "../..", "."])
def test_a_hash_names_a_task_that_leaves_no_name_of_its_own(task: str) -> None:
    assert re.fullmatch(r"task-[0-9a-f]{8}", slug_of(task))


def test_a_number_keeps_within_the_length() -> None:
    assert with_suffix("add-login", 2) == "add-login-2"
    assert len(with_suffix("x" * 50, 117)) == LONGEST


@given(st.text(max_size=200))
def test_every_task_has_a_slug_that_folders_and_branches_can_have(task: str) -> None:
    slug = slug_of(task)
    assert re.fullmatch(r"[a-z0-9]([a-z0-9_-]*[a-z0-9])?", slug)
    assert len(slug) <= LONGEST
    assert slug not in RESERVED


def test_git_takes_a_slug_with_every_sign_it_can_have() -> None:
    subprocess.run(["git", "check-ref-format", "--branch", "harness/a_b-0--9__z"], check=True, capture_output=True)
