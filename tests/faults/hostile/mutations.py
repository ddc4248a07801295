"""Inputs made by somebody who means harm: valid samples with a few things done to them.

A text stands for bytes, too (`as_bytes`): half a character in it becomes a byte that is no UTF-8.
"""

import re
import struct
from collections.abc import Callable, Iterator, Sequence

from hypothesis import strategies as st

AT_ONCE = 10
LARGEST = 100_000
"""Characters: what takes time in the square of its input shows by then."""
NASTY = (
    *("\0", "\x1b[2J", "\x1b]0;x\x07", "\x9b31m", "\x07", "\x08", "\x7f", "\x85", "\u2028", "\u2029", "\r", "\r\n"),
    *("\ufeff", "\u202e", "\u2066", "\u200b", "\u0301", "\ud800", "\udfff", "\udc80", "\udcff", "\ufffe", "\U0010ffff"),
    *('"', "'", "`", "```", "~~~", "\\", "\\u0000", "\\ud800", "\\x", "%", "$(x)", "{{x}}", "{x}", "${x}", "<!--"),
    *("[", "]", "{", "}", "(", ")", "[[", "]]", "[]", "{}", "null", "true", "-", "--", "---", "=", ":", ",", ";", "#"),
    *("0", "-1", "1e999", "-1e999", "NaN", "Infinity", "9" * 30, "9" * 5000, "0.0000001", "٣", "²", "0x1f", "1_0"),
    *("/", "//", "..", "../", "./", "~", "/dev/null", "C:", ".git", "CON", "\n", "\n\n", "\t", " ", "\u00a0", "\u3000"),
    *(
        "@",
        "@x",
        "!",
        "/",
        "*",
        "**",
        "?",
        "@@",
        "+++",
        "--- ",
        "data:",
        "[DONE]",
        "<think>",
        "</think>",
        "İ",
        "ß",
        "ﬁ",
    ),
)

Change = Callable[[str, int, int], str]
"""The text after it; the two numbers say where and how much."""
_FORM = ">BHH"
_BYTES = struct.calcsize(_FORM)
_DICE = 1 + 5 * _BYTES


def hostile(samples: Sequence[str], largest: int = LARGEST) -> st.SearchStrategy[list[str]]:
    """Ten inputs, each a sample with up to five changes: drawing takes longer than most parsers, so it is done once."""
    dice = st.binary(min_size=AT_ONCE * _DICE, max_size=AT_ONCE * _DICE)
    return dice.map(lambda thrown: [changed(samples, each)[:largest] for each in _cut(thrown)])


def changed(samples: Sequence[str], dice: bytes) -> str:
    """The sample that the first byte names, after the changes that the others stand for; never over `LARGEST`."""
    text = samples[dice[0] % len(samples)]
    for at in range(1, len(dice) - _BYTES + 1, _BYTES):
        change, *numbers = struct.unpack_from(_FORM, dice, at)
        text = CHANGES[change % len(CHANGES)](text, *numbers)[:LARGEST]
    return text


def _cut(dice: bytes) -> Iterator[bytes]:
    return (dice[at : at + _DICE] for at in range(0, len(dice), _DICE))


def as_bytes(text: str) -> bytes:
    """The text as a file or a socket would bring it."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def as_sample(data: bytes) -> str:
    """Bytes of any kind as a sample; `as_bytes` gives them back."""
    return data.decode("utf-8", "surrogateescape")


def in_pieces(data: bytes) -> list[bytes]:
    """The bytes as a network would cut them: at places that depend on nothing but themselves."""
    pieces, at, step = [], 0, len(data) % 7 + 1
    while at < len(data):
        pieces.append(data[at : at + step])
        at, step = at + step, step * 5 % 4093 + 1
    return pieces


def _slice(text: str, where: int, size: int) -> tuple[int, int]:
    start = where % (len(text) + 1)
    return start, start + 1 + size % 20


def _leave(text: str, where: int, size: int) -> str:
    return text


def _drop(text: str, where: int, size: int) -> str:
    start, end = _slice(text, where, size)
    return text[:start] + text[end:]


def _truncate(text: str, where: int, _: int) -> str:
    return text[: where % (len(text) + 1)]


def _behead(text: str, where: int, _: int) -> str:
    return text[where % (len(text) + 1) :]


def _flip(text: str, where: int, size: int) -> str:
    at = where % (len(text) + 1)
    return text[:at] + "".join(chr(ord(char) ^ 1 << size % 8) for char in text[at : at + 1]) + text[at + 1 :]


def _insert(text: str, where: int, size: int) -> str:
    at = where % (len(text) + 1)
    return text[:at] + NASTY[size % len(NASTY)] + text[at:]


def _replace(text: str, where: int, size: int) -> str:
    start, end = _slice(text, where, size // len(NASTY))
    return text[:start] + NASTY[size % len(NASTY)] + text[end:]


def _copy(text: str, where: int, size: int) -> str:
    start, end = _slice(text, where, size)
    at = (where + size) % (len(text) + 1)
    return text[:at] + text[start:end] + text[at:]


def _swap_lines(text: str, where: int, size: int) -> str:
    lines = text.split("\n")
    one, other = where % len(lines), size % len(lines)
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _repeat_line(text: str, where: int, size: int) -> str:
    lines = text.split("\n")
    at = where % len(lines)
    return "\n".join([*lines[:at], *[lines[at]] * (size % 4), *lines[at + 1 :]])


def _swell(text: str, where: int, size: int) -> str:
    """A few characters, again and again: mostly some hundred times, now and then up to the largest."""
    start, end = _slice(text, where, size)
    piece = text[start:end] or NASTY[size % len(NASTY)]
    room = LARGEST - len(text) if size % 16 == 0 else 1000
    return text[:start] + piece * max(room // len(piece), 1) + text[end:]


def _nest(text: str, where: int, size: int) -> str:
    """Deeper than any recursion: around a place, or opened and never closed."""
    opening, closing = _BRACKETS[size % len(_BRACKETS)]
    deep = 5_000 if where % 16 == 0 else where % 64
    start, end = _slice(text, where, size)
    return text[:start] + opening * deep + text[start:end] + (closing * deep if size % 2 else "") + text[end:]


def _number(text: str, where: int, size: int) -> str:
    """Another number in the place of one."""
    numbers = list(_DIGITS.finditer(text))
    if not numbers:
        return text
    found = numbers[where % len(numbers)]
    return text[: found.start()] + _ODD_NUMBERS[size % len(_ODD_NUMBERS)] + text[found.end() :]


def _ends(text: str, _: int, size: int) -> str:
    return text.replace("\n", ("\r\n", "\r", "\n\n", "\u2028", "\v", " ")[size % 6])


def _mark(text: str, _: int, size: int) -> str:
    return ("\ufeff", "\u202e", "\0", "\udcff\udcfe")[size % 4] + text


_BRACKETS = (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("<think>", "</think>"), ("> ", ""), ("`", "`"))
_DIGITS = re.compile(r"\d+")
_ODD_NUMBERS = ("0", "-0", "-1", "1e999", "9" * 25, "9" * 5000, "0.5", "NaN", "null", '"1"', "[]", "1e-400", "²", "٣")
CHANGES: tuple[Change, ...] = (
    *(_leave, _drop, _truncate, _behead, _flip, _insert, _replace, _copy, _swap_lines, _repeat_line, _swell, _nest),
    *(_number, _ends, _mark),
)
