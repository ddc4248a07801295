"""`search_files`: every line that a pattern fits, in time that grows with the text and nothing else."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Annotated

import msgspec

from onbook.config.patterns import Pattern, line_pattern
from onbook.policy.bulk import Tree
from onbook.policy.door import Door
from onbook.policy.effects import By
from onbook.session.tools.text import is_binary, safe, safe_name, short_line
from onbook.session.tools.tool import Tool, typed_tool
from onbook.words import counted

MOST_HITS = 100
MOST_BYTES = 4 << 20
LONGEST_LINE = 300
SECONDS = 20.0


class Arguments(msgspec.Struct, forbid_unknown_fields=True):
    """What the model gives."""

    pattern: Annotated[str, msgspec.Meta(description="A regular expression for one line (RE2); (?i) for any case.")]
    path: Annotated[str, msgspec.Meta(description="The file or folder to search, relative to the workspace.")] = "."


class Hit(msgspec.Struct, frozen=True):
    """One line that fits."""

    path: str
    line: int
    text: str


class Found(msgspec.Struct, frozen=True):
    """The hits, and what was not looked at."""

    hits: tuple[Hit, ...]
    files: int
    """How many were searched."""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """`path:line: text`, a line for each, and a last line in brackets for what is missing."""
        lines = [f"{safe_name(hit.path)}:{hit.line}: {hit.text}" for hit in self.hits]
        nothing = [] if lines else [f"nothing found in {counted(self.files, 'file')}"]
        said = [*nothing, *self.notes]
        return "\n".join([*lines, f"[{'; '.join(said)}]"] if said else lines)


def search_files(door: Door) -> Tool:
    """The tool."""

    async def work(given: Arguments) -> str:
        return (await search(door, given.pattern, given.path, by="model")).text

    return typed_tool(
        "search_files",
        "Find the lines of text files in the workspace that a regular expression fits. Binary files, what git ignores "
        "and files with keys are left out.",
        Arguments,
        work,
        reads_only=True,
    )


async def search(door: Door, pattern: str, path: str = ".", *, by: By, most: int = MOST_HITS) -> Found:
    """The first `most` lines below a path that the pattern fits; UsageError for what is no pattern."""
    fits = line_pattern(pattern)
    tree = await door.tree(path, by=by, most=MOST_BYTES)
    looking = _Looking(tree, fits, most)
    try:
        return await asyncio.to_thread(looking.found)
    finally:
        looking.stopped.set()


def matching_lines(fits: Pattern, data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every line that the pattern of `line_pattern` fits, with its number.

    It is looked for in the text as a whole, which is many times faster than line by line. What is found may reach
    over the end of a line: then that line alone decides.
    """
    number, counted, at = 1, 0, 0
    while at <= len(data) and (found := fits.search(data, at)):
        start = data.rfind(b"\n", 0, found.start()) + 1
        end = data.find(b"\n", found.start())
        end = len(data) if end < 0 else end
        if found.end() <= end or fits.search(data[start:end]):
            number += data.count(b"\n", counted, start)
            counted = start
            yield number, data[start:end]
        at = end + 1


class _Looking:
    """The search itself, in a thread that stops when nobody waits for it any more."""

    def __init__(self, tree: Tree, fits: Pattern, most: int) -> None:
        self.stopped = threading.Event()
        self._tree = tree
        self._fits = fits
        self._most = most
        self._until = time.monotonic() + SECONDS
        self._files = self._binary = 0

    def found(self) -> Found:
        hits: list[Hit] = []
        for hit in self._hits():
            if len(hits) == self._most:
                return Found(tuple(hits), self._files, (f"only the first {self._most} lines; narrow the search",))
            hits.append(hit)
        return Found(tuple(hits), self._files, tuple(self._notes()))

    def _hits(self) -> Iterator[Hit]:
        for entry, data in self._tree:
            if self._is_over():
                return
            if is_binary(data):
                self._binary += 1
                continue
            self._files += 1
            for number, line in matching_lines(self._fits, data.replace(b"\r\n", b"\n")):
                yield Hit(entry.path, number, short_line(safe(line.decode("utf-8", "replace")), LONGEST_LINE))

    def _is_over(self) -> bool:
        return self.stopped.is_set() or time.monotonic() > self._until

    def _notes(self) -> Iterator[str]:
        if self._is_over():
            yield f"stopped after {SECONDS:.0f} seconds; name a smaller folder"
        if self._binary:
            yield f"{counted(self._binary, 'binary file')} left out"
        for why in ("too large", "kept from models", "unreadable"):
            if number := self._tree.passed_over[why]:
                yield f"{counted(number, 'file')} left out: {why}"
