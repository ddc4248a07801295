"""One JSON object, followed as it arrives: how far it goes, and whether it can still be a bare confidence block."""

import re
from enum import Enum, auto

DEEPEST = 64
"""Deeper nesting is no answer of a model; the limit keeps what reads the object afterwards from overflowing."""
LONGEST_TOKEN = 1000


class ObjectScan:
    """Takes text from the opening brace on, in any pieces, each character once.

    Ends `closed`, right behind the last brace, or `broken`, right before the first character that no JSON object
    could have there.
    """

    def __init__(self) -> None:
        self.closed = False
        self.broken = False
        self.only_block_keys = True
        """Whether no top-level key is there but `confidence` and `reason`, as far as it has been read."""
        self._nesting = ""
        self._next = _Next.VALUE
        self._inside = _Inside.STRUCTURE
        self._is_key = False
        self._word = ""

    def advance(self, text: str, at: int) -> int:
        """Read on from `at`; where it stopped: at the end of the text, or where the object ended or broke."""
        while at < len(text) and not self.closed and not self.broken:
            at = _STEPS[self._inside](self, text, at)
        return at

    def _structure(self, text: str, at: int) -> int:
        at = _end(_SPACE, text, at)
        if at == len(text):
            return at
        mark = text[at]
        if mark == '"' and self._next in _MAY_BE_STRING:
            self._is_key = self._next in (_Next.KEY, _Next.KEY_OR_END)
            self._inside, self._word = _Inside.STRING, ""
        elif mark in "{[" and self._next in _MAY_BE_VALUE and len(self._nesting) < DEEPEST:
            self._nesting += mark
            self._next = _Next.KEY_OR_END if mark == "{" else _Next.VALUE_OR_END
        elif mark in "}]" and self._next in _MAY_END and self._nesting[-1] == _OPENED_BY[mark]:
            self._nesting = self._nesting[:-1]
            self._value_ended()
        elif mark == ":" and self._next is _Next.COLON:
            self._next = _Next.VALUE
        elif mark == "," and self._next is _Next.COMMA_OR_END:
            self._next = _Next.KEY if self._nesting[-1] == "{" else _Next.VALUE
        elif self._nesting and self._next in _MAY_BE_VALUE and _TOKEN.match(mark):
            self._inside, self._word = _Inside.TOKEN, ""
            return at
        else:
            self.broken = True
            return at
        return at + 1

    def _string(self, text: str, at: int) -> int:
        end = _end(_CHARACTERS, text, at)
        self._key_goes_on(text[at:end])
        if end == len(text):
            return end
        if text[end] == '"':
            self._string_ended()
        elif text[end] == "\\":
            self._inside, self._word = _Inside.ESCAPE, ""
            self._key_goes_on("\\")
        else:
            self.broken = True
            return end
        return end + 1

    def _escape(self, text: str, at: int) -> int:
        """`_word` is what stands behind the backslash so far."""
        if not _ESCAPE_SO_FAR.fullmatch(self._word + text[at]):
            self.broken = True
            return at
        self._word += text[at]
        if self._word[0] != "u" or len(self._word) == 5:
            self._inside = _Inside.STRING
        return at + 1

    def _token(self, text: str, at: int) -> int:
        """A number, or `true`, `false`, `null`: over at the first character that is no part of such a word."""
        end = _end(_TOKEN, text, at)
        if len(self._word) < LONGEST_TOKEN:
            self._word += text[at:end]
        if end < len(text):
            if len(self._word) < LONGEST_TOKEN and _PLAIN_VALUE.fullmatch(self._word):
                self._value_ended()
            else:
                self.broken = True
        return end

    def _key_goes_on(self, part: str) -> None:
        """A key that cannot become one of the two is known before it has ended, so that less has to wait."""
        if self._is_key and self.only_block_keys and self._nesting == "{":
            self._word += part
            self.only_block_keys = any(key.startswith(self._word) for key in _BLOCK_KEYS)

    def _string_ended(self) -> None:
        if not self._is_key:
            self._value_ended()
            return
        if self._nesting == "{" and self._word not in _BLOCK_KEYS:
            self.only_block_keys = False
        self._inside, self._next = _Inside.STRUCTURE, _Next.COLON

    def _value_ended(self) -> None:
        self._inside, self._next = _Inside.STRUCTURE, _Next.COMMA_OR_END
        self.closed = not self._nesting


class _Next(Enum):
    KEY = auto()
    KEY_OR_END = auto()
    COLON = auto()
    VALUE = auto()
    VALUE_OR_END = auto()
    COMMA_OR_END = auto()


class _Inside(Enum):
    STRUCTURE = auto()
    STRING = auto()
    ESCAPE = auto()
    TOKEN = auto()


_STEPS = {
    _Inside.STRUCTURE: ObjectScan._structure,
    _Inside.STRING: ObjectScan._string,
    _Inside.ESCAPE: ObjectScan._escape,
    _Inside.TOKEN: ObjectScan._token,
}
_MAY_BE_VALUE = (_Next.VALUE, _Next.VALUE_OR_END)
_MAY_BE_STRING = (*_MAY_BE_VALUE, _Next.KEY, _Next.KEY_OR_END)
_MAY_END = (_Next.COMMA_OR_END, _Next.KEY_OR_END, _Next.VALUE_OR_END)
_OPENED_BY = {"}": "{", "]": "["}
_BLOCK_KEYS = ("confidence", "reason")
_SPACE = re.compile(r"[ \t\n\r]*")
_CHARACTERS = re.compile(r'[^"\\\x00-\x1f]*')
_TOKEN = re.compile(r"[-+.0-9A-Za-z]+")
_PLAIN_VALUE = re.compile(r"true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_ESCAPE_SO_FAR = re.compile(r'["\\/bfnrt]|u[0-9a-fA-F]{0,4}')


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
