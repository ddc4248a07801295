"""Bringing the index up to date with a tree of files: what is new or changed is read in, what is gone is dropped."""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from onbook.policy.bulk import Tree
from onbook.session.knowledge.chunks import as_text, chunked
from onbook.session.knowledge.store import Indexed, Store, open_store

MOST_BYTES = 4 << 20
"""A larger file is a data set or a log, not something to read."""
BATCH_BYTES = 4_000_000
"""What is written at once: a kill in mid-work loses no more than this, and it is done again."""
_PRIVATE_KEY = b"PRIVATE KEY-----"


@dataclass
class Work:
    """What was done so far. The thread that works writes it, the one that waits reads it, and may ask it to stop."""

    files: int = 0
    done: int = 0
    added: int = 0
    changed: int = 0
    moved: int = 0
    unchanged: int = 0
    dropped: int = 0
    bytes: int = 0
    passed_over: Counter[str] = field(default_factory=Counter)
    complete: bool = True
    """Whether every folder could be looked at to its end."""
    stop: threading.Event = field(default_factory=threading.Event)


def index(root: Path, tree: Tree, work: Work) -> None:
    """Make the index say what the tree says, batch by batch. Interrupted, it goes on from there the next time."""
    work.files += len(tree.entries)
    work.complete &= tree.complete
    with open_store(root) as store:
        known = store.known(tree.place.text)
        reader = _Reader(tree, known, work)
        for batch in reader.batches():
            _write(store, batch, reader, work)
        work.passed_over.update(tree.passed_over)
        if tree.complete and not work.stop.is_set():
            gone = [path for path in known if path not in reader.kept and path not in reader.moved]
            store.drop(gone)
            work.dropped += len(gone)


class _Reader:
    """Reads files and cuts them into passages. (In a thread of its own it made things slower: both want Python.)"""

    def __init__(self, tree: Tree, known: dict[str, bytes], work: Work) -> None:
        self.kept: set[str] = set()
        self.moved: set[str] = set()
        """Old paths of files that are somewhere else now."""
        self._tree = tree
        self.known = known
        self._work = work
        here = {entry.path for entry in tree.entries}
        self._gone = {digest: path for path, digest in known.items() if path not in here} if tree.complete else {}

    def batches(self) -> Iterator["_Batch"]:
        batch = _Batch()
        for entry, data in self._tree:
            if self._work.stop.is_set():
                return
            self._work.done += 1
            self._take(entry.path, data, batch)
            if batch.size >= BATCH_BYTES:
                yield batch
                batch = _Batch()
        yield batch

    def _take(self, path: str, data: bytes, batch: "_Batch") -> None:
        digest = hashlib.blake2b(data, digest_size=16).digest()
        if self.known.get(path) == digest:
            self.kept.add(path)
            self._work.unchanged += 1
        elif (reason := _reason_against(path, data)) is not None:
            self._work.passed_over[reason] += 1
        elif (old := self._gone.pop(digest, None)) is not None:
            self.kept.add(path)
            self.moved.add(old)
            batch.moved.append((old, path))
        elif (text := as_text(data)) is None:
            self._work.passed_over["binary"] += 1
        else:
            self.kept.add(path)
            batch.files.append(Indexed(path, digest, len(data), chunked(text)))
            batch.size += len(data)


@dataclass
class _Batch:
    files: list[Indexed] = field(default_factory=list)
    moved: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0


def _reason_against(path: str, data: bytes) -> str | None:
    if _PRIVATE_KEY in data:
        return "that may hold keys"
    return None if path.isprintable() else "with odd names"


def _write(store: Store, batch: _Batch, reader: _Reader, work: Work) -> None:
    if not batch.files and not batch.moved:
        return
    store.write(batch.files, batch.moved)
    replaced = sum(file.path in reader.known for file in batch.files)
    work.changed += replaced
    work.added += len(batch.files) - replaced
    work.moved += len(batch.moved)
    work.bytes += batch.size
