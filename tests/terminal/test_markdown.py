"""Markdown that streams in: cut into complete blocks, and drawn without obeying what it contains."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.terminal.markdown import rendered
from onbook.terminal.markdown_blocks import LONGEST, Block, MarkdownBlocks

CODES = re.compile(r"\x1b\[[0-9;]*m")
LINES = st.sampled_from(
    ["", " ", "word", "- item", "1. item", "  more", "```", "```py", "````", "~~~", "# h", "> q", "| a |", "*", "\t"]
)
MARKDOWN = st.lists(LINES | st.text(max_size=8), max_size=20).map("\n".join)


def blocks_of(pieces: list[str]) -> list[Block]:
    blocks = MarkdownBlocks()
    done = [block for piece in pieces for block in blocks.feed(piece)]
    return done + blocks.end()


def texts(text: str) -> list[str]:
    return [block.text for block in blocks_of([text])]


@given(st.lists(MARKDOWN, max_size=6))
def test_nothing_is_lost_or_changed(pieces: list[str]) -> None:
    assert "".join(block.text for block in blocks_of(pieces)) == "".join(pieces)


@given(MARKDOWN)
def test_where_it_is_cut_does_not_depend_on_how_it_arrives(text: str) -> None:
    assert blocks_of(list(text)) == blocks_of([text])


@given(st.lists(MARKDOWN, max_size=6))
def test_what_is_unfinished_is_what_has_not_come_out(pieces: list[str]) -> None:
    blocks, out = MarkdownBlocks(), ""
    for number, piece in enumerate(pieces):
        out += "".join(block.text for block in blocks.feed(piece))
        assert out + blocks.unfinished == "".join(pieces[: number + 1])


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("one\ntwo\n\nthree", ["one\ntwo\n\n", "three"]),
        ("```py\na\n\nb\n```\nafter\n", ["```py\na\n\nb\n```\n", "after\n"]),
        ("````\n```\n````\nx", ["````\n```\n````\n", "x"]),
        ("- a\n\n- b\n\n  more\n\nend", ["- a\n\n- b\n\n  more\n\n", "end"]),
        ("1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n\nend", ["1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n\n", "end"]),
        ("```\nnever closed\n\nx", ["```\nnever closed\n\nx"]),
    ],
)
def test_a_block_ends_where_a_reader_sees_it_end(text: str, blocks: list[str]) -> None:
    assert texts(text) == blocks


def test_a_block_that_is_too_long_comes_in_pieces_that_are_not_drawn() -> None:
    text = "```\n" + "x = 1\n" * LONGEST + "```\n\nafter\n\n"
    found = blocks_of([text[start : start + 50] for start in range(0, len(text), 50)])
    assert "".join(block.text for block in found) == text
    assert [block for block in found if block.whole and block.text.strip()] == [Block("after\n\n", whole=True)]
    assert max(len(block.text) for block in found) < LONGEST + 100


@given(st.text(max_size=200))
def test_no_text_can_drive_the_terminal(text: str) -> None:
    shown = CODES.sub("", rendered(text, 80))
    assert not [ch for ch in shown if (ord(ch) < 32 and ch != "\n") or 127 <= ord(ch) < 160]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Title", "Title\n"),
        ("one\ntwo", "one\ntwo\n"),
        ("a <b>tag</b> & more", "a <b>tag</b> & more\n"),
        ("<div>\nx\n</div>", "<div>\nx\n</div>\n"),
        ("[here](http://example.org/x)", "here (http://example.org/x)\n"),
        ("[1]: http://example.org/x", "[1]: http://example.org/x\n"),
        ("3. three\n4. four", " 3 three\n 4 four\n"),
    ],
)
def test_what_was_written_stays_readable(text: str, shown: str) -> None:
    assert CODES.sub("", rendered(text, 80)) == shown


def test_code_has_darker_colours_on_a_light_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    shown = {}
    for colours in ("15;0", "0;15"):
        monkeypatch.setenv("COLORFGBG", colours)
        shown[colours] = rendered("```python\ndef f(): return 'x'\n```", 80)
    assert "\x1b[94m" in shown["15;0"]
    assert "\x1b[94m" not in shown["0;15"]
    assert "\x1b[34m" in shown["0;15"]


def test_nothing_of_a_table_is_cut_off() -> None:
    table = "| a | b |\n| --- | --- |\n| a-word-that-is-longer-than-its-column | x |\n"
    shown = CODES.sub("", rendered(table, 24))
    assert "…" not in shown
    assert "a-word-that-is-longer-than-its-column" in "".join(shown.splitlines())


def test_a_page_of_the_manual_flows_and_its_tables_show_no_addresses() -> None:
    page = "One\nline, see [b](b.md).\n\n| a |\n| --- |\n| [b](https://example.org/b) |\n"
    shown = CODES.sub("", rendered(page, 80, reflowed=True))
    assert shown.startswith("One line, see b (b.md).\n")
    assert "example.org" not in shown


TABLE = """
| system | speed | memory |
| --- | --- | --- |
| **onbook** | quick enough | |
| another | slower | much more |
"""


def test_a_table_that_fits_breaks_no_word() -> None:
    shown = CODES.sub("", rendered(TABLE, 30))
    assert [line.split()[:1] for line in shown.splitlines()[:1]] == [["system"]]
    assert shown.split().count("enough") == 1
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 30


def test_a_table_that_is_too_wide_becomes_a_block_for_each_row() -> None:
    shown = CODES.sub("", rendered(TABLE, 20))
    assert shown == "onbook\n  speed: quick\n  enough\n\nanother\n  speed: slower\n  memory: much more\n"
