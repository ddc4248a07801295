"""A file as a model reads it: in parts, within a size, or one sentence why not."""

from pathlib import Path
from typing import Any

import pytest

from onbook.session.tools import read_file as reading
from onbook.session.tools.text import MOST_CHARACTERS
from onbook.session.tools.tool import ToolFailed
from tests.session.tools.conftest import Bench


async def test_a_file_is_read_as_it_stands(bench: Bench, workspace: Path) -> None:
    (workspace / "a.md").write_text("# Title\n\n\tindented\n")
    assert await bench("read_file", path="a.md") == "# Title\n\n\tindented"


async def test_a_long_file_is_read_in_parts_and_says_how_to_go_on(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("".join(f"line {number}\n" for number in range(1, 1201)))
    first = await bench("read_file", path="a.txt")
    assert first.splitlines()[0] == "line 1"
    assert first.splitlines()[-2:] == ["line 500", "[lines 1-500 of 1200; ask for start=501]"]
    last = await bench("read_file", path="a.txt", start=1199)
    assert last == "line 1199\nline 1200\n[lines 1199-1200 of 1200]"
    assert await bench("read_file", path="a.txt", start="3", end=4.0) == "line 3\nline 4\n[lines 3-4 of 1200]"


async def test_long_lines_are_cut_and_the_whole_stays_within_its_size(bench: Bench, workspace: Path) -> None:
    (workspace / "a.js").write_text(("x" * 5000 + "\n") * 400)
    shown = await bench("read_file", path="a.js")
    assert len(shown) < MOST_CHARACTERS + 200
    assert "[… 3000 characters more]" in shown
    assert shown.endswith("of 400; ask for start=15]")


async def test_a_huge_file_is_read_at_its_beginning(
    bench: Bench, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1 << 20)
    (workspace / "big.log").write_text("twelve bytes" * ((1 << 20) // 12 + 1))
    assert (await bench("read_file", path="big.log")).endswith(
        "[lines 1-1 of more than 1 (only the first 1 MiB can be read)]"
    )


@pytest.mark.parametrize(
    ("content", "arguments", "error"),
    [
        (b"a\n", {"start": 3}, "a.txt has 1 lines; there is no line 3"),
        (b"a\nb\n", {"start": 2, "end": 1}, "end=1 comes before start=2"),
        (b"\x7fELF\0\0", {}, "a.txt is a binary file, not text"),
        (b"a", {"start": 0}, "the arguments do not fit: Expected `int` >= 1 - at `$.start`"),
        (b"a", {"lines": 4}, "the arguments do not fit: Object contains unknown field `lines`"),
    ],
)
async def test_what_cannot_be_read_is_one_sentence(
    bench: Bench, workspace: Path, content: bytes, arguments: dict[str, Any], error: str
) -> None:
    (workspace / "a.txt").write_bytes(content)
    with pytest.raises(ToolFailed) as caught:
        await bench("read_file", path="a.txt", **arguments)
    assert str(caught.value).startswith(error)


async def test_what_a_model_leaves_out_as_null_is_left_out(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hi\n")
    assert await bench("read_file", path="a.txt", start=None, end=None) == "hi"


async def test_an_empty_file_says_so(bench: Bench, workspace: Path) -> None:
    (workspace / "a.txt").touch()
    assert await bench("read_file", path="a.txt") == "[a.txt is empty]"
