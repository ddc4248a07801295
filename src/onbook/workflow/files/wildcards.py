r"""Patterns of a `.gitignore` as regular expressions: `*`, `**`, `?`, `[…]`, `\x`, a slash that ties to the root."""

import re

_NOTHING = r"[^\x00-\x{10FFFF}]"
"""Fits no text at all: a pattern that git cannot read fits no file."""
_CLASSES = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "\t\t  ",
    "cntrl": "\0\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\r  ",
    "upper": "AZ",
    "xdigit": "09AFaf",
}
"""Named sets of characters, each as pairs of first and last."""


class _Unreadable(Exception):
    """A set of characters without its end, or with a name that nobody knows."""


def as_expression(glob: str) -> str:
    """The expression for RE2, to be searched in a path from the root; without the slash that only folders have."""
    top = "^" if "/" in glob else "(?:^|/)"
    try:
        return f"(?s){top}{_body(glob.removeprefix('/'))}$"
    except _Unreadable:
        return _NOTHING


def _body(glob: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(glob):
        if glob[at] == "*":
            part, at = _stars(glob, at)
        elif glob[at] == "[":
            part, at = _set(glob, at + 1)
        elif glob[at] == "\\":
            if at + 1 == len(glob):
                raise _Unreadable
            part, at = re.escape(glob[at + 1]), at + 2
        else:
            part, at = "[^/]" if glob[at] == "?" else re.escape(glob[at]), at + 1
        parts.append(part)
    return "".join(parts)


def _stars(glob: str, at: int) -> tuple[str, int]:
    """`*` stays inside a folder; `**` between slashes, or at either end beside one, is any number of folders."""
    end = at + len(glob[at:]) - len(glob[at:].lstrip("*"))
    begins = at == 0 or glob[at - 1] == "/"
    if end - at >= 2 and begins and end == len(glob):
        return ".+" if at else ".*", end
    if end - at >= 2 and begins and glob[end] == "/":
        return "(?:.*/)?", end + 1
    return "[^/]*", end


def _set(glob: str, at: int) -> tuple[str, int]:
    """`[a-z]`, `[!a-z]`, `[[:digit:]_]`: one character, never a slash."""
    negated = glob[at : at + 1] in ("!", "^")
    spans, at = _spans(glob, at + negated)
    if negated:
        return f"[^/{''.join(_span(first, last) for first, last in spans)}]", at
    shown = "".join(_span(*part) for span in spans for part in _without_slash(*span))
    return (f"[{shown}]" if shown else _NOTHING), at


def _spans(glob: str, at: int) -> tuple[list[tuple[str, str]], int]:
    """The first and last character of each part of a set, and where the set has ended."""
    spans: list[tuple[str, str]] = []
    start, can_continue = at, False
    while True:
        if glob[at : at + 1] == "]" and at > start:
            return spans, at + 1
        if (named := _named(glob, at)) is not None:
            spans += named[0]
            at, can_continue = named[1], False
        elif can_continue and glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            last, at = _character(glob, at + 1)
            spans.append((spans[-1][0], last))
            can_continue = False
        else:
            char, at = _character(glob, at)
            spans.append((char, char))
            can_continue = True


def _named(glob: str, at: int) -> tuple[list[tuple[str, str]], int] | None:
    end = glob.find("]", at)
    if not glob.startswith("[:", at) or end < at + 3 or glob[end - 1] != ":":
        return None
    pairs = _CLASSES.get(glob[at + 2 : end - 1])
    if pairs is None:
        raise _Unreadable
    return list(zip(pairs[::2], pairs[1::2], strict=True)), end + 1


def _character(glob: str, at: int) -> tuple[str, int]:
    if glob[at : at + 1] == "\\":
        at += 1
    if at >= len(glob):
        raise _Unreadable
    return glob[at], at + 1


def _without_slash(first: str, last: str) -> list[tuple[str, str]]:
    return [(first, last)] if not first <= "/" <= last else [(first, "."), ("0", last)]


def _span(first: str, last: str) -> str:
    return rf"\x{{{ord(first):x}}}-\x{{{ord(last):x}}}" if first <= last else ""
