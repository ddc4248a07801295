"""Room on a screen, for text whose characters do not all take one cell."""

from hypothesis import given
from hypothesis import strategies as st

from onbook.cells import cut, in_columns, padded, shortened, width


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
