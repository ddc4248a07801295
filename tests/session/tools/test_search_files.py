"""Searches: what is found, what is left out, and patterns that are none."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.config.patterns import compile_pattern, glob_pattern, line_pattern
from onbook.outcome import UsageError
from onbook.session.tools.search_files import MOST_HITS, matching_lines
from tests.session.tools.conftest import Bench


async def test_a_search_names_file_and_line(bench: Bench, workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src/a.py").write_text("def one():\n    pass\n\ndef two():\n")
    (workspace / "b.md").write_text("defined\r\n")
    (workspace / "c.bin").write_bytes(b"def \0")
    assert (await bench("search_files", pattern=r"^def \w+")).splitlines() == [
        "src/a.py:1: def one():",
        "src/a.py:4: def two():",
        "[1 binary file left out]",
    ]
    assert await bench("search_files", pattern="(?i)DEFINED$", path="b.md") == "b.md:1: defined"
    assert await bench("search_files", pattern="nowhere", path="b.md") == "[nothing found in 1 file]"


@given(
    st.lists(st.text("ab \n"), max_size=6).map("\n".join),
    st.sampled_from(["a", "^", "$", "^$", "a$", "^b", r"a\s+b", r"\s", "[^a]", "(?s)a.b", r"\bb\b", "a*", "x"]),
)
def test_a_search_of_the_whole_text_finds_what_one_line_by_line_finds(text: str, pattern: str) -> None:
    found = list(matching_lines(line_pattern(pattern), text.encode()))
    one_by_one = compile_pattern(pattern)
    lines = enumerate(text.split("\n"), 1)
    assert found == [(number, line.encode()) for number, line in lines if one_by_one.search(line)]


async def test_a_search_with_too_many_hits_says_so(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hit\n" * (MOST_HITS + 1))
    lines = (await bench("search_files", pattern="hit")).splitlines()
    assert len(lines) == MOST_HITS + 1
    assert lines[-1] == f"[only the first {MOST_HITS} lines; narrow the search]"


async def test_no_pattern_takes_longer_than_its_text(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("a" * 200_000 + "b\n")
    async with asyncio.timeout(10):
        assert "a.txt" not in await bench("search_files", pattern="^(a+)+$", path="a.txt")


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "(?<=a)b", r"\1", "\udc80"])
async def test_what_is_no_pattern_is_one_sentence(
    bench: Bench, capfd: pytest.CaptureFixture[str], pattern: str
) -> None:
    with pytest.raises(UsageError, match="is not a pattern: "):
        await bench("search_files", pattern=pattern)
    assert capfd.readouterr().err == ""


@given(st.text())
def test_any_text_is_a_pattern_or_one_sentence(text: str) -> None:
    problem = ""
    try:
        compile_pattern(text)
        glob_pattern(text)
    except UsageError as error:
        problem = str(error)
    assert "\n" not in problem
