"""What is wrong with a setting, as one line that names the file, the line and the key."""

from collections.abc import Iterable

from onbook.outcome import UsageError

_NEAR = 3 / 4
"""So much of two words has to be the same: `hlep` and `help`, not `nope` and `scope`."""
_LIKELY = 2 / 3
"""And so much where they begin alike: `rnu` and `run`, `pipe` and `pipeline`; not `config` and `confidence`."""


class SettingsError(UsageError):
    """`FILE:LINE: key: what is wrong`, with a hint where there is one.

    SettingsError
    └── BadValueError    a value that does not hold by itself: it knows its key, and no file yet
    """

    def __init__(self, problem: str, *, where: str = "", line: int | None = None, key: str = "") -> None:
        self.problem = problem
        self.where = where
        self.line = line
        self.key = key
        place = f"{where}:{line}" if where and line else where
        super().__init__(": ".join(part for part in (place, key, problem) if part))


class BadValueError(SettingsError, ValueError):
    """Raised while a value is built; a ValueError too, so that msgspec passes it on with the value's path."""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """`; did you mean X?` for the nearest choice, or nothing where none is near."""
    near = nearest(word, choices)
    return f"; did you mean {near}?" if near else ""


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The choice that has most in common with the word, if that is most of both. The slash or the dashes that the word
    begins with do not count: every command and every option has them."""
    import difflib

    name = word.casefold().lstrip("/-")
    marks = word[: len(word) - len(name)]
    by_name = {choice.casefold().removeprefix(marks): choice for choice in choices}
    alike = [each for each in by_name if each[:1] == name[:1]]
    near = difflib.get_close_matches(name, by_name, 1, _NEAR) or difflib.get_close_matches(name, alike, 1, _LIKELY)
    return by_name[near[0]] if near else None


def reason(error: OSError) -> str:
    """The system's own words for a failed read or write, as the middle of a sentence."""
    words = error.strerror or str(error) or type(error).__name__
    return words[:1].lower() + words[1:]
