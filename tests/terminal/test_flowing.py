"""Words that stream to a terminal: none is broken at its edge, whatever the pieces they come in."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onbook.cells import width
from onbook.terminal.flowing import Flowing

COLUMNS = 40


def shown(*pieces: str) -> str:
    """What stands on a terminal of 40 columns when the line has ended."""
    flowing = Flowing()
    return "".join(flowing.feed(piece, COLUMNS) for piece in (*pieces, "\n"))


@pytest.mark.parametrize(
    ("said", "rows"),
    [
        ("Theatres close when everybody has left the building.", ["Theatres close when everybody has left", "the"]),
        (
            "- a list goes on below its own words, not below its mark",
            ["- a list goes on below its own words,", "  not"],
        ),
        ("tools      read_file, write_file, edit_file, list_files", ["tools      read_file, write_file,", " " * 11]),
        ("漢" * 21, ["漢" * 20, "漢"]),
        (
            "see https://example.org/a-page-with-a-very-long-name",
            ["see https://example.org/a-page-with-a-very-long-name"],
        ),
    ],
)
def test_a_line_goes_on_with_a_whole_word_below_its_words(said: str, rows: list[str]) -> None:
    lines = shown(said).split("\n")
    assert lines[0] == rows[0]
    assert lines[1].startswith(rows[1] if len(rows) > 1 else "")


def test_code_stays_as_it_is() -> None:
    code = "```sh\nprintf '%s' a line that is longer than the terminal is wide\n```"
    assert shown(code) == f"{code}\n"


def test_a_word_far_from_the_edge_is_not_waited_for() -> None:
    assert Flowing().feed("Hel", COLUMNS) == "Hel"


def test_a_word_near_the_edge_comes_when_it_is_whole() -> None:
    flowing = Flowing()
    assert flowing.feed("Theatres close when everybody has lef", COLUMNS) == "Theatres close when everybody has"
    assert flowing.feed("t the", COLUMNS) == " left"


@given(st.text("ab -漢\n`", max_size=200), st.lists(st.integers(0, 200), max_size=20))
def test_the_pieces_make_no_difference(said: str, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(said)]
    assert shown(*(said[begin:end] for begin, end in pairwise(edges))) == shown(said)


@given(st.text("ab c漢", max_size=200))
def test_nothing_is_lost_but_the_gaps_where_a_line_ends(said: str) -> None:
    assert "".join(shown(said).split()) == "".join(said.split())


@given(st.lists(st.text("abc", min_size=1, max_size=12), max_size=60))
def test_no_row_is_wider_than_the_terminal(words: list[str]) -> None:
    assert max(map(width, shown(" ".join(words)).split("\n"))) <= COLUMNS
