"""Passages: every line that says something is in one, and the line numbers are right."""

from hypothesis import given
from hypothesis import strategies as st

from onbook.session.knowledge.chunks import TARGET, as_text, chunked

LINES = st.lists(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n"), max_size=400))


@given(LINES.map("\n".join))
def test_a_passage_is_the_lines_that_it_names(text: str) -> None:
    lines = text.split("\n")
    for chunk in chunked(text):
        assert "\n".join(lines[chunk.first - 1 : chunk.last]).strip() == chunk.text.strip()


@given(LINES.map("\n".join))
def test_no_line_that_says_something_is_lost(text: str) -> None:
    covered = {number for chunk in chunked(text) for number in range(chunk.first, chunk.last + 1)}
    assert all(number in covered for number, line in enumerate(text.split("\n"), 1) if line.strip())


@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\n"), max_size=20_000))
def test_a_line_as_long_as_a_file_is_cut_without_loss(line: str) -> None:
    chunks = chunked(line)
    assert all(len(chunk.text) <= TARGET * 5 // 4 and chunk.first == chunk.last == 1 for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(line.split())


def test_a_passage_ends_where_a_heading_begins() -> None:
    part = "## Part\n" + "a line of prose, and another one\n" * 40
    assert [chunk.text.startswith("## Part") for chunk in chunked(part * 3)] == [True, True, True]


def test_passages_cut_in_the_middle_of_a_text_share_two_lines() -> None:
    first, second, *_ = chunked("\n".join(f"line {number} of a long paragraph" for number in range(1, 200)))
    assert second.first == first.last - 1


def test_passages_are_of_about_the_size_that_is_aimed_at() -> None:
    chunks = chunked("\n".join(f"line {number} of a long paragraph" for number in range(1, 2000)))
    assert all(TARGET // 2 <= len(chunk.text) <= TARGET * 5 // 4 for chunk in chunks[:-1])


def test_bytes_that_are_no_text_are_told_apart() -> None:
    assert as_text(b"\x7fELF\x02\x01\x01\0\0") is None
    assert as_text(bytes(range(1, 256))) is None
    assert as_text("naïve".encode()) == "naïve"
    assert as_text(b"\xef\xbb\xbfna") == "na"
    assert as_text("naïve".encode("cp1252")) == "naïve"
    assert as_text("naïve".encode("utf-16")) == "naïve"
    assert as_text(b"\xff\xfe\x00") is None
