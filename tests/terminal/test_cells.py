"""Room on a screen, for text whose characters do not all take one cell."""

from hypothesis import given
from hypothesis import strategies as st

from onbook.terminal.cells import cut, padded, width


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
