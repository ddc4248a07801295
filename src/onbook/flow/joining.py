"""Outputs that come in any order, joined in the order of their numbers: in memory while they are few, else in files."""

import os

from onbook.flow.data import Data, Gathering, copy_range
from onbook.flow.spool import Spool, SpoolFile

_MOST_WAITING = 8 << 20
"""Bytes of outputs in memory that wait for an earlier one."""


class Joined:
    """Number after number, from 1, without the newlines at their ends and with the separator in between."""

    def __init__(self, separator: str, spool: Spool) -> None:
        self._separator = separator.encode()
        self._spool = spool
        self._gathering = Gathering(spool)
        self._next = 1
        self._waiting: dict[int, bytes | tuple[int, int]] = {}
        """What came early: its bytes, or where it stands in the file for such."""
        self._in_memory = 0
        self._aside: SpoolFile | None = None
        self._aside_size = 0

    def put(self, number: int, data: Data) -> None:
        """The output of one of them."""
        size = data.trimmed_size()
        if number != self._next:
            self._keep(number, data, size)
            return
        self._separate()
        self._gathering.add_data(data, size)
        while (early := self._waiting.pop(self._next, None)) is not None:
            self._separate()
            self._add_early(early)

    def data(self) -> Data:
        """All of them."""
        return self._gathering.data()

    def _separate(self) -> None:
        if self._next > 1:
            self._gathering.add(self._separator)
        self._next += 1

    def _keep(self, number: int, data: Data, size: int) -> None:
        if self._in_memory + size <= _MOST_WAITING:
            self._waiting[number] = data.read(size)
            self._in_memory += size
            return
        if self._aside is None:
            self._aside = self._spool.new()
        source = data.open()
        try:
            copy_range(source, self._aside.descriptor, 0, size)
        finally:
            os.close(source)
        self._waiting[number] = (self._aside_size, size)
        self._aside_size += size

    def _add_early(self, early: bytes | tuple[int, int]) -> None:
        if isinstance(early, bytes):
            self._in_memory -= len(early)
            self._gathering.add(early)
        elif self._aside is not None:
            self._gathering.add_range(self._aside.descriptor, *early)
