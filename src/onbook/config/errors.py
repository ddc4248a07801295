"""What is wrong with a setting, as one line that names the file, the line and the key."""

from collections.abc import Iterable

from onbook.outcome import UsageError


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
    """`; did you mean X?` for the nearest choice, or nothing."""
    import difflib

    by_case = {choice.casefold(): choice for choice in choices}
    near = difflib.get_close_matches(word.casefold(), by_case, n=1, cutoff=0.6)
    return f"; did you mean {by_case[near[0]]}?" if near else ""


def reason(error: OSError) -> str:
    """The system's own words for a failed read or write, as the middle of a sentence."""
    words = error.strerror or str(error) or type(error).__name__
    return words[:1].lower() + words[1:]
