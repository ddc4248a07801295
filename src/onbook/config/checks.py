"""What a value of the settings must be by itself: a name, one line of text, the name of a variable."""

import re
from collections.abc import Sequence
from typing import Protocol

from onbook.config.errors import BadValueError


class Named(Protocol):
    """A table of a list whose entries are told apart by name."""

    @property
    def name(self) -> str: ...


def check_name(what: str, name: str) -> None:
    """BadValueError unless it can be called so: by a flag, after `@`, in a list."""
    if not _NAME.fullmatch(name):
        raise BadValueError(
            f"{what} name is made of letters, digits, _ . - and ends with a letter or digit", key="name"
        )


def check_line(key: str, value: str | None) -> None:
    """BadValueError for a text that is there, and empty or longer than a line."""
    if value is not None and (not value.strip() or not value.isprintable()):
        raise BadValueError("must be one line of text, and not empty", key=key)


def check_variable(key: str, value: str | None) -> None:
    """BadValueError for what names no environment variable, or looks like the key that the variable should hold."""
    if value is not None and (not _VARIABLE.fullmatch(value) or _LIKE_A_KEY.match(value)):
        raise BadValueError(
            "this must be the NAME of an environment variable, as in OPENAI_API_KEY; "
            "the key itself stays in the environment",
            key=key,
        )


def check_unique(what: str, key: str, entries: Sequence[Named]) -> None:
    """BadValueError for the first entry whose name, in any case, was taken before it."""
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if entry.name.casefold() in seen:
            raise BadValueError(f"another {what} is called {entry.name} already", key=f"{key}[{index}].name")
        seen.add(entry.name.casefold())


_NAME = re.compile(r"\w(?:[\w.-]*\w)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
# Some keys would pass for names: known beginnings, and long ones that mix capitals, small letters and digits.
_LIKE_A_KEY = re.compile(
    r"(?:hf|gh[pousr]|github_pat|glpat|gsk|r8|npm|sk_live|rk_live)_\w{8}|(?:AIza|AKIA|ASIA)\w{12}"
    r"|(?=\w*[a-z])(?=\w*[A-Z])(?=\w*[0-9])\w{20}"
)
