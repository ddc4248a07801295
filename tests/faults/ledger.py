"""The ledger of `make faults`: which fault met what, how often it was survived, and whether anything was lost.

Every test of this folder counts into the fixture `ledger`, either once for each try, or a whole row at a time:

    with ledger.trial("disk full", "pipeline"):     # survived when the block ends without an exception
        assert got.code == 1
        kept(load(path).turns == before, "the turns recorded before")
    ledger.tried("hostile input", "Fountain reader", times=10_000, survived=10_000, lost=0)

*Survived* is: it ended with one clear line and the right exit code, or it went on. *Lost* is: a record, an edit, a
state or a file that was there or was promised is gone or half-written. A row that is not survived, or that lost
something, fails the test that wrote it.

Without `ONBOOK_FAULTS=1` the tests run in their short form, as `make test` does: see `LONG`, `long_form` and `many`.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import pytest

LONG = os.environ.get("ONBOOK_FAULTS", "") not in ("", "0")
long_form = pytest.mark.skipif(not LONG, reason="takes minutes: set ONBOOK_FAULTS=1, or `make faults`")


def many(short: int, long: int) -> int:
    """How often something is tried in this form."""
    return long if LONG else short


class Lost(AssertionError):
    """Something that was there or was promised is gone or half-written."""


def kept(is_there: object, what: str) -> None:
    """Inside a trial: what must not be lost."""
    if not is_there:
        raise Lost(f"lost: {what}")


@dataclass(frozen=True)
class Row:
    """What one fault did to one runner, parser or file."""

    fault: str
    what: str
    tried: int
    survived: int
    lost: int

    @property
    def is_well(self) -> bool:
        return self.survived == self.tried and not self.lost


class Ledger:
    """What was tried so far. `Ledger(rows)` takes up what others have counted."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._rows: dict[tuple[str, str], Row] = {}
        for row in rows:
            self._add(row)

    def tried(self, fault: str, what: str, *, survived: int, lost: int = 0, times: int = 1) -> None:
        """Count tries of a fault; `survived` is true, or how many of them."""
        self._add(Row(fault, what, times, int(survived), lost))

    @contextmanager
    def trial(self, fault: str, what: str) -> Iterator[None]:
        """Count one try, however it ends."""
        survived = lost = 0
        try:
            yield
            survived = 1
        except Lost:
            lost = 1
            raise
        finally:
            self._add(Row(fault, what, 1, survived, lost))

    @property
    def rows(self) -> list[Row]:
        return sorted(self._rows.values(), key=lambda row: (row.fault, row.what))

    def _add(self, row: Row) -> None:
        before = self._rows.get((row.fault, row.what), Row(row.fault, row.what, 0, 0, 0))
        self._rows[row.fault, row.what] = Row(
            row.fault,
            row.what,
            before.tried + row.tried,
            before.survived + row.survived,
            before.lost + row.lost,
        )


def packed(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Rows as they travel from a worker of the tests to the process that prints the table, and into `faults.json`."""
    return [asdict(row) for row in rows]


def unpacked(rows: Iterable[dict[str, Any]]) -> list[Row]:
    return [Row(**row) for row in rows]
