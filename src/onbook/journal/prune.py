"""Old runs make room: by age, by size, never the latest one and never one that is still going on."""

import sqlite3
import time
from collections.abc import Iterator

import msgspec

from onbook.journal.blobs import Blobs
from onbook.journal.processes import is_running
from onbook.journal.schema import span
from onbook.workspace.tables import transaction

OLDEST = 30 * 86_400.0
LARGEST = 1 << 30
_IN_PASSING = 0.2
"""Seconds that a run may lose to the pruning of others."""
_BEING_WRITTEN = 3_600.0
"""A blob younger than this may belong to a row that is about to be written."""

_ANYBODY = "SELECT 1 FROM instances WHERE place = 'blob' AND identity = ? LIMIT 1"


def prune(
    database: sqlite3.Connection,
    blobs: Blobs,
    *,
    older_than: float | None = OLDEST,
    larger_than: int | None = LARGEST,
    until: float = float("inf"),
) -> list[str]:
    """Forget runs that ended more than `older_than` seconds ago, then the oldest, until all that is left takes at most
    `larger_than` bytes. Stops early at the time `until`. The ids of those that went."""
    gone = []
    now = time.time()
    for number, run, last in _prunable(database):
        is_old = older_than is not None and last < now - older_than
        if not is_old and (larger_than is None or _used(database, blobs) <= larger_than):
            break
        if _forget(database, blobs, number):
            gone.append(run)
        if time.monotonic() > until:
            break
    if gone:
        blobs.remove_orphans(_blobs_of(database), now - _BEING_WRITTEN)
        database.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page
    return gone


def prune_in_passing(database: sqlite3.Connection, blobs: Blobs) -> None:
    """What is due anyway, a little at a time."""
    prune(database, blobs, until=time.monotonic() + _IN_PASSING)


def _prunable(database: sqlite3.Connection) -> Iterator[tuple[int, str, float]]:
    """The runs that may go and when they were last worked on, the oldest first."""
    rows = database.execute(
        "SELECT number, id, max(began, coalesce(ended, 0)) AS last, process FROM runs "
        "WHERE number < (SELECT max(number) FROM runs) ORDER BY last"
    ).fetchall()  # some of them are about to go
    known = (msgspec.convert(row, tuple[int, str, float, str]) for row in rows)
    return ((number, run, last) for number, run, last, process in known if not is_running(process))


def _forget(database: sqlite3.Connection, blobs: Blobs, run: int) -> bool:
    """Whether it went; somebody may have gone on with it by now. Rows go first: a blob without a row is found later, a
    row without its blob would promise too much. What one run handed on to another is a blob of both."""
    with transaction(database):
        found = database.execute("SELECT process FROM runs WHERE number = ?", (run,)).fetchone()
        if found is None or is_running(found[0]):
            return False
        large = set(_blobs_of(database, *span(run)))
        database.execute("DELETE FROM instances WHERE number BETWEEN ? AND ?", span(run))
        database.execute("DELETE FROM runs WHERE number = ?", (run,))
        shared = {identity for identity in large if database.execute(_ANYBODY, (identity,)).fetchone()}
    blobs.remove(large - shared)
    return True


def _blobs_of(database: sqlite3.Connection, first: int = 0, last: int = (1 << 63) - 1) -> Iterator[str]:
    rows = database.execute(
        "SELECT identity FROM instances WHERE number BETWEEN ? AND ? AND place = 'blob'", (first, last)
    )
    return (identity for (identity,) in rows)


def _used(database: sqlite3.Connection, blobs: Blobs) -> int:
    """Bytes on the disk, without the pages that wait to be used again."""
    pages, free, size = (
        database.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "freelist_count", "page_size")
    )
    return (int(pages) - int(free)) * int(size) + blobs.bytes()
