"""How much room text takes on a screen: a character of Chinese, Japanese or Korean takes two cells, an accent none."""

import unicodedata


def width(text: str) -> int:
    """The cells it takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut(text: str, cells: int) -> str:
    """As much of its beginning as fits; what is left out leaves no mark."""
    if width(text) <= cells:
        return text
    taken = 0
    for at, sign in enumerate(text):
        taken += _width(sign)
        if taken > cells:
            return text[:at]
    return text


def padded(text: str, cells: int) -> str:
    """With so many spaces behind it that what comes next stands in its column."""
    return text + " " * (cells - width(text))


def _width(sign: str) -> int:
    if unicodedata.combining(sign):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1
