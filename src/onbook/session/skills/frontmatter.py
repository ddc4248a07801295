r"""The head of a `SKILL.md`: the few forms of YAML that skills are written in, and a clear line for the rest.

    key: words          quoted "a \"b\"" or 'it''s', or going on in indented lines
    key: [one, two]     or a line `- item` each
    key: > or |         a folded or a literal block

By hand, since YAML itself would let a cloned folder say far more (tags, anchors, numbers that were meant as words)
at the price of a dependency. A value is read when somebody asks for it, so keys that nobody here knows may hold
anything.
"""

import re
from collections.abc import Mapping

import msgspec

from onbook.outcome import UsageError


class BadHead(UsageError):
    """What is wrong, and in which line of the file."""

    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem
        super().__init__(f"line {line}: {problem}")


class Value(msgspec.Struct, frozen=True):
    """One key's value as it was written."""

    line: int
    first: str
    """What stands on the key's own line."""
    more: tuple[str, ...] = ()
    """The lines below it."""

    def text(self) -> str:
        """The value as words."""
        if block := _BLOCK.fullmatch(self.first):
            return _block(block[1], self.more)
        if _is_list(self):
            raise BadHead(self.line, "words are wanted here, not a list")
        return self._scalar(" ".join((self.first, *_filled(self.more))).strip(), self.line)

    def items(self) -> tuple[str, ...] | None:
        """The value as a list; None when it is written as words."""
        if not _is_list(self):
            return None
        if not self.first.startswith("["):
            return self._dashes()
        whole = " ".join((self.first, *_filled(self.more))).strip()
        if not whole.endswith("]"):
            raise BadHead(self.line, "the list is not closed; write [one, two]")
        inside = whole[1:-1].strip().removesuffix(",")
        return tuple(self._scalar(item, self.line) for item in _split(inside)) if inside else ()

    def _dashes(self) -> tuple[str, ...]:
        found: list[str] = []
        for number, line in enumerate(self.more, self.line + 1):
            stripped = _uncommented(line.strip())
            if stripped and not stripped.startswith(("- ", "-\t")):
                raise BadHead(number, "a list has one `- item` a line")
            if stripped:
                found.append(self._scalar(stripped[1:].strip(), number))
        return tuple(found)

    @staticmethod
    def _scalar(raw: str, line: int) -> str:
        if raw[:1] in ("'", '"'):
            return _unquoted(raw, line)
        if raw[:1] in _NOT_HERE:
            raise BadHead(line, f"{raw[0]} begins a form of YAML that is not read here; put quotes around the words")
        return _uncommented(raw)


class Head(msgspec.Struct, frozen=True):
    """A file in its two parts."""

    values: Mapping[str, Value]
    body: str


_FENCE = "---"
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?")
_BLOCK = re.compile(r"([>|])[+-]?(?:[ \t]+#.*)?")
_QUOTED = re.compile(r""" "(?:[^"\\]|\\.)*" | '(?:[^']|'')*' """, re.X)
_NOT_HERE = frozenset("&*!{}[]%@`|>")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "/": "/", "\\": "\\", '"': '"', " ": " "}


def parse(text: str) -> Head:
    """The head's values and the body below it; BadHead names the line."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE:
        raise BadHead(1, "the first line must be --- and open the head with name and description")
    ends = (number for number, line in enumerate(lines[1:], 1) if line.rstrip() == _FENCE)
    end = next(ends, None)
    if end is None:
        raise BadHead(len(lines), "the head is not closed by a line ---")
    return Head(_values(lines[1:end]), "\n".join(lines[end + 1 :]).strip("\n"))


def _values(lines: list[str]) -> dict[str, Value]:
    found: dict[str, tuple[int, str, list[str]]] = {}
    key = ""
    for number, line in enumerate(lines, 2):
        if named := _KEY.fullmatch(line):
            key = named[1]
            if key in found:
                raise BadHead(number, f"{key} stands there twice")
            first = (named[2] or "").strip()
            found[key] = (number, "" if first.startswith("#") else first, [])
        elif key and _goes_on(line):
            found[key][2].append(line)
        elif line.strip() and not line.startswith("#"):
            raise BadHead(number, "write key: value, or indent what belongs to the line above")
    return {key: Value(number, first, tuple(more)) for key, (number, first, more) in found.items()}


def _goes_on(line: str) -> bool:
    return not line.strip() or line[0] in " \t]}#" or line.startswith(("- ", "-\t"))


def _is_list(value: Value) -> bool:
    if value.first:
        return value.first.startswith("[")
    return next(iter(_filled(value.more)), "").startswith(("- ", "-\t"))


def _filled(lines: tuple[str, ...]) -> list[str]:
    """The lines that say something, without comments of their own."""
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def _block(style: str, lines: tuple[str, ...]) -> str:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    kept = "\n".join(line[margin:].rstrip() for line in lines).strip("\n")
    # Folded: a line break is a space, an empty line is a break.
    return kept if style == "|" else re.sub(r"(?<!\n)\n(?!\n)", " ", kept).replace("\n\n", "\n")


def _split(inside: str) -> list[str]:
    """The items between commas that stand outside quotes and parentheses, as in `[Bash(git add, git rm), Read]`."""
    items, depth, start, at = [], 0, 0, 0
    is_new = True
    while at < len(inside):
        if is_new and (quoted := _QUOTED.match(inside, at)):
            at, is_new = quoted.end(), False
            continue
        is_new = is_new and inside[at].isspace()
        depth += {"(": 1, ")": -1}.get(inside[at], 0)
        if inside[at] == "," and depth <= 0:
            items.append(inside[start:at].strip())
            start, is_new = at + 1, True
        at += 1
    return [*items, inside[start:].strip()]


def _unquoted(raw: str, line: int) -> str:
    found = _QUOTED.match(raw)
    if found is None:
        raise BadHead(line, f"the quote {raw[0]} is not closed")
    if _uncommented(f" {raw[found.end() :]}").strip():
        raise BadHead(line, f"something stands behind the closing {raw[0]}; put one pair of quotes around all of it")
    inside = found[0][1:-1]
    if raw[0] == "'":
        return inside.replace("''", "'")
    return re.sub(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)", lambda escape: _meant(escape[1], line), inside, flags=re.S)


def _meant(escape: str, line: int) -> str:
    if len(escape) > 1 and not 0xD800 <= int(escape[1:], 16) <= 0xDFFF:
        return chr(int(escape[1:], 16))
    if escape not in _ESCAPES:
        raise BadHead(line, f"\\{escape} means nothing inside double quotes; write \\\\ for a backslash")
    return _ESCAPES[escape]


def _uncommented(text: str) -> str:
    return re.split(r"(?:^|[ \t])#", text, maxsplit=1)[0].rstrip()
