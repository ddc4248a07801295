"""Keeping keys out of everything that is shown, written or handed on."""

import re
from collections.abc import Iterable, Mapping

from onbook.policy.key_shapes import KEYS, LOOK_BEHIND, NO_MORE, is_tail

REDACTED = "[redacted]"

_SHORTEST_SECRET = 8
_registered: set[str] = set()
_registered_pattern: re.Pattern[str] | None = None
_registered_hint: re.Pattern[str] | None = None
"""Finds the first three characters of a secret, or fewer at the end: a quick test that most pieces fail."""


def register_secret(value: str) -> None:
    """From now on this exact text is redacted, whatever it looks like. Very short values are ignored."""
    global _registered_pattern, _registered_hint
    value = value.strip()
    if len(value) < _SHORTEST_SECRET or value in _registered:
        return
    _registered.add(value)
    longest_first = sorted(_registered, key=lambda secret: (-len(secret), secret))
    _registered_pattern = re.compile("|".join(map(re.escape, longest_first)))
    _registered_hint = re.compile("|".join(sorted({_first_three(secret) for secret in _registered})))


def redact(text: str) -> str:
    """The text with registered secrets and key-shaped strings replaced."""
    if _registered_pattern is not None:
        text = _registered_pattern.sub(REDACTED, text)
    return KEYS.sub(_replacement, text + NO_MORE)[:-1]


class StreamRedactor:
    """`redact` for text that arrives in pieces: the same result, and no beginning of a key ever gets out.

    Only a tail that more text could turn into a key is held back; `flush` gives it when no more will come.
    """

    def __init__(self) -> None:
        self._literals = _LiteralStage()
        self._shapes = _ShapeStage()

    def feed(self, piece: str) -> str:
        """Take a piece; give what can be shown by now."""
        return self._shapes.feed(self._literals.feed(piece))

    def flush(self) -> str:
        """Give what was held back; the redactor is then as new."""
        return self._shapes.feed(self._literals.flush()) + self._shapes.flush()


def without_keys(environ: Mapping[str, str], key_names: Iterable[str] = ()) -> dict[str, str]:
    """The environment for a child process: no API keys, no tokens, none of the variables in `key_names`."""
    named = {name.upper() for name in key_names}
    return {
        name: value
        for name, value in environ.items()
        if name.upper() not in named and not _names_a_key(name) and redact(value) == value
    }


_KEY_ENDINGS = (
    *("_KEY", "_APIKEY", "_ACCESS_KEY_ID", "_KEY_BASE", "_TOKEN", "_SECRET", "_SECRETS", "_AUTH", "_COOKIE"),
    *("PASSWORD", "PASSWD", "_PASS", "_PWD", "PASSPHRASE", "_CREDENTIALS", "_PAT"),
)
_KEY_NAMES = frozenset(("APIKEY", "TOKEN", "SECRET", "SECRETS"))


def _names_a_key(name: str) -> bool:
    upper = name.upper()
    return upper in _KEY_NAMES or upper.endswith(_KEY_ENDINGS)


def _first_three(secret: str) -> str:
    one, two, three = map(re.escape, secret[:3])
    return rf"{one}(?:\Z|{two}(?:\Z|{three}))"


def _replacement(found: re.Match[str]) -> str:
    return (found["bearer"] or found["name"] or found["camel"] or "") + REDACTED


class _ShapeStage:
    """Key shapes. Keeps a few characters of what went before, since shapes look to their left."""

    def __init__(self) -> None:
        self._text = ""
        self._start = 0

    def feed(self, piece: str) -> str:
        text = self._text + piece
        start = self._start
        found = KEYS.search(text, start)
        if found is None:
            self._text = text[-LOOK_BEHIND:]
            self._start = len(self._text)
            return text[start:]
        return self._give(text, start, found)

    def _give(self, text: str, start: int, found: re.Match[str] | None) -> str:
        given: list[str] = []
        while found is not None and not is_tail(found):
            given += text[start : found.start()], _replacement(found)
            start = found.end()
            found = KEYS.search(text, start)
        held = found.start() if found else len(text)
        given.append(text[start:held])
        context = max(held - LOOK_BEHIND, 0)
        self._text = text[context:]
        self._start = held - context
        return "".join(given)

    def flush(self) -> str:
        rest = self.feed(NO_MORE)[:-1]
        self._text, self._start = "", 0
        return rest


class _LiteralStage:
    """Registered secrets, letter by letter."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        text = self._held + piece
        if _registered_hint is None or not _registered_hint.search(text):
            self._held = ""
            return text
        given: list[str] = []
        start = 0
        while True:
            held = _unfinished_secret(text, start)
            found = _registered_pattern.search(text, start) if _registered_pattern else None
            if found is None or held <= found.start():
                break
            given += text[start : found.start()], REDACTED
            start = found.end()
        self._held = text[held:]
        given.append(text[start:held])
        return "".join(given)

    def flush(self) -> str:
        text, self._held = self._held, ""
        return _registered_pattern.sub(REDACTED, text) if _registered_pattern else text


def _unfinished_secret(text: str, start: int) -> int:
    """Where a tail starts that may become a registered secret; the text's length if there is none."""
    earliest = len(text)
    for secret in _registered:
        at = text.find(secret[0], max(start, len(text) - len(secret) + 1), earliest)
        while at >= 0:
            if secret.startswith(text[at:]):
                earliest = at
                break
            at = text.find(secret[0], at + 1, earliest)
    return earliest
