"""The table of parsers: everything that reads what somebody else wrote, with valid samples of it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from onbook.outcome import OnbookError
from tests.faults.hostile.mutations import LARGEST

Read = Callable[[str, Path], object]
"""Reads an input (`as_bytes` makes bytes of it). The folder is its own. `kept` says what must not be lost."""


@dataclass(frozen=True)
class Parser:
    """One reader of foreign text."""

    name: str
    samples: tuple[str, ...]
    read: Read
    largest: int = LARGEST

    def __str__(self) -> str:
        return self.name


PARSERS: list[Parser] = []


def parser(name: str, *samples: str, largest: int = LARGEST) -> Callable[[Read], Read]:
    """Put the function below into the table."""

    def add(read: Read) -> Read:
        PARSERS.append(Parser(name, samples, read, largest))
        return read

    return add


def check_words(error: OnbookError) -> None:
    """Something is said about a bad input; the command line makes one line of it."""
    assert str(error).strip()
