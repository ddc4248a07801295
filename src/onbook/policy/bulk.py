"""Many files at once: one decision for a folder, then each file below it, read without following anything."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal

from onbook.config.policy_settings import PolicySettings
from onbook.policy.hands import Entry, kind_word
from onbook.policy.listing import MOST_ENTRIES, walk
from onbook.policy.names import is_git_config, is_hidden, looks_secret
from onbook.policy.paths import FILE, MOST_NAMES, Missing, PathRefused, Place, check_regular, folder_of
from onbook.policy.permissions import answer_for

PassedOver = Literal["ignored by git", "that may hold keys", "kept from models", "links", "too large", "unreadable"]


class Tree:
    """The files below one path that was let through. Iterate over it in a thread: it reads as it goes."""

    def __init__(self, root: Path, place: Place, entries: Sequence[Entry], rules: PolicySettings, most: int) -> None:
        """Files of more than `most` bytes are passed over."""
        self.place = place
        self.passed_over: Counter[PassedOver] = Counter()
        self.complete = len(entries) < MOST_ENTRIES
        """Whether everything below the path was seen."""
        self._root = root
        self._most = most
        self._own_rule = answer_for(rules, "read", place.parts)
        self.entries = tuple(entry for entry in entries if self._is_wanted(entry, rules))
        """The files, in order."""

    def __iter__(self) -> Iterator[tuple[Entry, bytes]]:
        for folder, group in groupby(self.entries, key=lambda entry: entry.path.rpartition("/")[0]):
            entries = list(group)
            try:
                with folder_of(self._root, [name for name in folder.split("/") if name]) as descriptor:
                    yield from self._read(descriptor, entries)
            except PathRefused:
                self.passed_over["unreadable"] += len(entries)

    def _read(self, folder: int, entries: Sequence[Entry]) -> Iterator[tuple[Entry, bytes]]:
        for entry in entries:
            try:
                data = _bytes_of(folder, entry.path.rpartition("/")[2], self._most + 1)
            except (OSError, PathRefused):
                self.passed_over["unreadable"] += 1
                continue
            if len(data) > self._most:
                self.passed_over["too large"] += 1
            else:
                yield entry, data

    def _is_wanted(self, entry: Entry, rules: PolicySettings) -> bool:
        reason = self._reason_against(entry, rules)
        if reason is not None:
            self.passed_over[reason] += 1
        return reason is None and entry.kind == "file"

    def _reason_against(self, entry: Entry, rules: PolicySettings) -> PassedOver | None:
        parts = entry.path.split("/")
        if entry.ignored:
            return "ignored by git"
        if entry.secret or is_git_config(parts):
            return "that may hold keys"
        if entry.kind == "link":
            return "links"
        if entry.kind != "file":
            return None
        rule = answer_for(rules, "read", parts)
        if rule[0] in ("ask", "deny") and rule != self._own_rule:  # inside a folder that was named, its rule was passed
            return "kept from models"
        return "too large" if entry.size > self._most else None


async def look_below(root: Path, place: Place, environ: dict[str, str]) -> tuple[Entry, ...]:
    """Everything below a folder, or the one file that is there; a file named by itself is wanted, ignored or not."""
    own = _entry(root, place)
    if own.kind != "folder":
        return (own,)
    return await walk(root, place.parts, depth=MOST_NAMES, most=MOST_ENTRIES, environ=environ)


def _entry(root: Path, place: Place) -> Entry:
    try:
        with folder_of(root, place.parts[:-1]) as folder:
            status = os.stat(place.parts[-1] if place.parts else ".", dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        raise Missing from None
    kind = kind_word(status)
    if kind not in ("file", "folder"):
        check_regular(status)
    return Entry(place.text, kind, status.st_size, hidden=is_hidden(place.parts), secret=looks_secret(place.parts))


def _bytes_of(folder: int, name: str, limit: int) -> bytes:
    descriptor = os.open(name, os.O_RDONLY | FILE, dir_fd=folder)
    try:
        status = os.fstat(descriptor)
        check_regular(status)
        data = os.read(descriptor, min(status.st_size + 1, limit))
        while len(data) < limit and (more := os.read(descriptor, limit - len(data))):
            data += more
        return data
    finally:
        os.close(descriptor)
