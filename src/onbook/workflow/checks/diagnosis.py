"""What went wrong, as far as it can be told from output alone: the first error line, and the files it names."""

import re
from collections.abc import Iterator
from pathlib import Path

from onbook.workflow.checks.layer1 import Check, Layer1

LONGEST = 300
_MOST_FILES = 20
_TELLING = tuple(
    re.compile(pattern)
    for pattern in (
        r"FAILED \S.*",  # pytest's short summary
        r"E {2,}\S.*",  # pytest's own words for the failure
        r"\S+?:\d+(?::\d+)?: \S.*",  # most linters, compilers and type checkers
        r"[A-Z]{1,6}\d{3,4} \S.*",  # a rule, as ruff names it; the place is in the next line
        r"(?i).*\berror\b.*",
    )
)
_FILE = re.compile(r"[^\s\"'`()\[\]<>|,;:]+\.\w+")


def first_error(layer1: Layer1) -> str:
    """One line for whoever has to fix it; where nothing failed, what is left to do."""
    if layer1.failed:
        check = layer1.failed[0]
        return f"{check.label}: {_first_error(check)}"[:LONGEST]
    mark = layer1.marks[0]
    return f"{mark.path}:{mark.line}: {mark.text}"[:LONGEST]


def failing_files(layer1: Layer1, root: Path) -> tuple[str, ...]:
    """Files of the workspace that the failed checks name, in the order they do."""
    found = dict.fromkeys(path for check in layer1.failed for path in _named(check.output, root))
    if not layer1.failed:
        found = dict.fromkeys(mark.path for mark in layer1.marks)
    return tuple(found)[:_MOST_FILES]


def _first_error(check: Check) -> str:
    lines = [line.strip() for line in check.output.splitlines() if line.strip()]
    for pattern in _TELLING:
        if line := next((line for line in lines if pattern.fullmatch(line)), ""):
            return line
    return lines[-1] if lines else check.said


def _named(output: str, root: Path) -> Iterator[str]:
    """Each word that is a file below the root, whether it is named from there or from the top."""
    for word in dict.fromkeys(_FILE.findall(output)):
        path = root / word
        try:
            if path.is_file() and path.resolve().is_relative_to(root):
                yield path.relative_to(root).as_posix()
        except (OSError, ValueError):
            continue
