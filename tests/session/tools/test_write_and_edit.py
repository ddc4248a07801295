"""Files that a model writes, and the one place that it edits."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.policy.door import Denied
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.edit_file import replaced
from onbook.session.tools.tool import ToolFailed
from tests.session.conftest import MakeDoor
from tests.session.tools.conftest import Bench


async def test_a_file_is_written_with_its_folders(bench: Bench, workspace: Path) -> None:
    said = await bench("write_file", path="src/new/a.py", content="a = 1\nb = 'é'\n")
    assert said == "wrote src/new/a.py: 2 lines, 15 bytes"
    assert (workspace / "src/new/a.py").read_text() == "a = 1\nb = 'é'\n"


async def test_writing_without_leave_changes_nothing(make_door: MakeDoor, workspace: Path) -> None:
    bench = Bench(builtin_tools(make_door()))
    (workspace / "a.txt").write_text("old")
    for tool, arguments in (("write_file", {"content": "new"}), ("edit_file", {"old": "old", "new": "new"})):
        with pytest.raises(Denied, match="there is nobody to ask"):
            await bench(tool, path="a.txt", **arguments)
    assert (workspace / "a.txt").read_text() == "old"


async def test_one_place_is_edited_and_everything_else_stays_as_it_is(bench: Bench, workspace: Path) -> None:
    (workspace / "a.py").write_bytes(b"a = 1\r\nb = 2\r\nlatin: \xe9\r\n")
    assert await bench("edit_file", path="a.py", old="b = 2\n", new="b = 3\nc = 4\n") == "edited a.py (lines 2-3)"
    assert (workspace / "a.py").read_bytes() == b"a = 1\r\nb = 3\r\nc = 4\r\nlatin: \xe9\r\n"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("gone", "x", "old is not in a.py; read_file shows what is there"),
        ("if a:\n  b()", "x", "old is not in a.py: line 1 differs from it only in its spaces; copy it exactly"),
        ("b()", "x", "old is 2 times in a.py (lines 2, 3): add lines around it until it is unique"),
        ("", "x", "old is empty: give the text to replace, or use write_file for a whole file"),
        ("b()", "b()", "old and new are the same: nothing to do"),
    ],
)
async def test_an_edit_that_is_not_clear_changes_nothing(
    bench: Bench, workspace: Path, old: str, new: str, error: str
) -> None:
    (workspace / "a.py").write_text("if a:\n    b()\n    b()\n")
    with pytest.raises(ToolFailed) as caught:
        await bench("edit_file", path="a.py", old=old, new=new)
    assert str(caught.value) == error
    assert (workspace / "a.py").read_text() == "if a:\n    b()\n    b()\n"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("text", "old", "error"),
    [
        ("a" * 1_000_000, "a" * 50, "old is at least 100 times in a.txt (lines 1, 1, 1, 1, 1, …): add lines around it"),
        ("a\n" * 500_000, " a\n" * 5_000 + "b", "old is not in a.txt; read_file shows what is there"),
    ],
)
def test_an_edit_of_a_text_that_repeats_itself_is_refused_at_once(text: str, old: str, error: str) -> None:
    with pytest.raises(ToolFailed) as caught:
        replaced("a.txt", text, old, "new")
    assert str(caught.value).startswith(error)


@given(st.text("ab\n"), st.text("abc\n", min_size=1), st.text("xy\n"), st.text("ab\n"))
def test_an_edit_replaces_exactly_the_one_place(before: str, old: str, new: str, after: str) -> None:
    text = before + old + after
    places = sum(text.startswith(old, at) for at in range(len(text)))
    if places > 1 or old == new:
        with pytest.raises(ToolFailed):
            replaced("f", text, old, new)
        return
    edited, first, _ = replaced("f", text, old, new)
    assert edited == before + new + after
    assert first == before.count("\n") + 1
