"""Room on a screen, for text whose characters do not all take one cell."""

from hypothesis import given
from hypothesis import strategies as st

from onbook.cells import cut, in_columns, in_rows, padded, shortened, width, widths_within


def test_wide_characters_take_two_cells_and_accents_none() -> None:
    assert [width(text) for text in ("name", "名前", "e\u0301te", "ＡＢ", "")] == [4, 4, 3, 4, 0]


@given(st.text(), st.integers(0, 40))
def test_what_is_cut_fits_and_one_more_character_would_not(text: str, cells: int) -> None:
    fitting = cut(text, cells)
    assert text.startswith(fitting)
    assert width(fitting) <= cells
    assert fitting == text or width(text[: len(fitting) + 1]) > cells


@given(st.text(), st.integers(0, 40))
def test_what_is_padded_reaches_its_column(text: str, cells: int) -> None:
    assert width(padded(text, cells)) == max(width(text), cells)


@given(st.text(), st.integers(1, 40))
def test_what_is_shortened_fits_and_says_so(text: str, cells: int) -> None:
    shown = shortened(text, cells)
    assert width(shown) <= cells
    assert shown == text or shown.endswith("…")


def test_columns_stand_below_each_other_in_any_script() -> None:
    lines = in_columns([("NAME", "OUTCOME"), ("名前", "passed"), ("lint", "failed")])
    assert lines == ["NAME  OUTCOME", "名前  passed", "lint  failed"]


def test_a_column_that_is_made_narrower_shortens_what_stands_in_it() -> None:
    assert in_columns([("summarise.md", "0.91")], widths=[6, 4]) == ["summa…  0.91"]


def test_columns_give_way_one_after_the_other_and_no_further_than_they_may() -> None:
    rows = [("12345678", "12345678", "12345678")]
    assert widths_within(rows, 28, {1: 4, 0: 6}) == [8, 8, 8]
    assert widths_within(rows, 25, {1: 4, 0: 6}) == [8, 5, 8]
    assert widths_within(rows, 23, {1: 4, 0: 6}) == [7, 4, 8]
    assert widths_within(rows, 10, {1: 4, 0: 6}) == [6, 4, 8]


def test_rows_break_between_words_and_keep_a_word_that_is_too_long() -> None:
    line = "cannot write /a/very/long/path/to/a/file: no space"
    assert in_rows(line, 24) == ["cannot write /a/very/long/path/to/a/file: no", "space"]
    assert in_rows("a b c", 3, hanging=" ") == ["a b", " c"]
    assert in_rows("名前 名前", 8) == ["名前", "名前"]
    assert in_rows("  just  fits ", 13) == ["  just  fits "]


@given(st.text(st.sampled_from("ab 名 ")), st.integers(1, 20))
def test_rows_hold_every_word_in_order_and_are_too_wide_for_a_long_word_only(line: str, cells: int) -> None:
    rows = in_rows(line, cells)
    assert [word for row in rows for word in row.split()] == line.split()
    assert all(width(row) <= cells or any(width(word) > cells for word in row.split()) for row in rows)
