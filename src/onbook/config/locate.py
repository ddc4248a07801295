"""The line of a key in a TOML text, for error messages: tomllib says what values are, not where they stand.

A small scanner that knows where keys, strings, arrays and tables begin and end, and not what they mean. It
runs only when there is an error to report, and gives up quietly on text it cannot follow.
"""

import re
import tomllib

KeyPath = tuple[str | int, ...]


def line_of(text: str, path: KeyPath) -> int | None:
    """The line (from 1) where `path` is set, or the nearest thing around it; None when there is none."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except (_LostError, RecursionError, tomllib.TOMLDecodeError):
        pass
    for length in range(len(path), 0, -1):
        offset = scanner.offsets.get(path[:length])
        if offset is not None:
            return text.count("\n", 0, offset) + 1
    return None


class _LostError(Exception):
    """The text is not TOML as the scanner knows it."""


_BLANK = re.compile(r"[ \t]*")
_BLANK_LINES = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.S,
)
_BARE_VALUE = re.compile(r"[^\s,\]}#][^\n,\]}#]*")


class _Scanner:
    """Walks the text once and notes the offset of the first mention of every key path."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.offsets: dict[KeyPath, int] = {}
        self.table_counts: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        self.skip(_BLANK_LINES)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.assignment(table)
            self.skip(_BLANK_LINES)

    def header(self) -> KeyPath:
        start = self.at
        many = self.text.startswith("[[", start)
        self.at += 2 if many else 1
        *outer, last = self.key()
        self.expect("]]" if many else "]")
        path: KeyPath = ()
        for part in outer:
            path = self.inside_last_table((*path, part))
            self.offsets.setdefault(path, start)
        path = (*path, last)
        self.offsets.setdefault(path, start)
        if not many:
            return self.inside_last_table(path)
        self.table_counts[path] = self.table_counts.get(path, 0) + 1
        path = self.inside_last_table(path)
        self.offsets[path] = start
        return path

    def inside_last_table(self, path: KeyPath) -> KeyPath:
        count = self.table_counts.get(path)
        return (*path, count - 1) if count else path

    def assignment(self, table: KeyPath) -> None:
        start = self.at
        path = table
        for part in self.key():
            path = (*path, part)
            self.offsets.setdefault(path, start)
        self.expect("=")
        self.skip(_BLANK)
        self.value(path)

    def key(self) -> list[str]:
        parts = []
        while True:
            self.skip(_BLANK)
            token = self.take(_KEY)
            parts.append(tomllib.loads(f"k = {token}")["k"] if token[0] in "\"'" else token)
            self.skip(_BLANK)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def value(self, path: KeyPath) -> None:
        first = self.text[self.at : self.at + 1]
        if first == "[":
            self.array(path)
        elif first == "{":
            self.inline_table(path)
        else:
            self.take(_STRING if first in ('"', "'") else _BARE_VALUE)

    def array(self, path: KeyPath) -> None:
        self.at += 1
        index = 0
        while not self.closes("]"):
            self.offsets.setdefault((*path, index), self.at)
            self.value((*path, index))
            index += 1
            self.comma()

    def inline_table(self, path: KeyPath) -> None:
        self.at += 1
        while not self.closes("}"):
            self.assignment(path)
            self.comma()

    def comma(self) -> None:
        self.skip(_BLANK_LINES)
        if self.text.startswith(",", self.at):
            self.at += 1

    def closes(self, bracket: str) -> bool:
        self.skip(_BLANK_LINES)
        if not self.text.startswith(bracket, self.at):
            return False
        self.at += 1
        return True

    def expect(self, mark: str) -> None:
        self.skip(_BLANK)
        if not self.text.startswith(mark, self.at):
            raise _LostError
        self.at += len(mark)

    def skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if not found:
            raise _LostError
        self.at = found.end()
        return found[0]
