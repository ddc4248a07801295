"""Outputs that come in any order, joined in the order of their numbers: in memory while they are few, else in files."""

import hashlib
import os

from onbook.flow.data import Data, Gathering, copy_range
from onbook.flow.spool import Spool, SpoolFile, writing_aside

_MOST_WAITING = 8 << 20
"""Bytes of outputs in memory that wait for an earlier one."""


class Joined:
    """Number after number, from 1, without the newlines at their ends and with the separator in between."""

    def __init__(self, separator: str, spool: Spool) -> None:
        self._separator = separator.encode()
        self._spool = spool
        self._gathering = Gathering(spool)
        self._next = 1
        self._identities = hashlib.sha256(self._separator)
        self._waiting: dict[int, tuple[str, bytes | tuple[int, int]]] = {}
        """What came early: its identity, and its bytes or where it stands in the file for such."""
        self._in_memory = 0
        self._aside: SpoolFile | None = None
        self._aside_size = 0

    def put(self, number: int, data: Data) -> None:
        """The output of one of them."""
        size = data.trimmed_size()
        if number != self._next:
            self._keep(number, data, size)
            return
        self._begin_next(data.identity)
        self._gathering.add_data(data, size)
        while (early := self._waiting.pop(self._next, None)) is not None:
            self._begin_next(early[0])
            self._add_early(early[1])

    def data(self) -> Data:
        """All of them. Many bytes are the same again when they are joined from the same, which resume looks for."""
        return self._gathering.data(self._identities.hexdigest())

    def _begin_next(self, identity: str) -> None:
        if self._next > 1:
            self._gathering.add(self._separator)
        self._next += 1
        self._identities.update(f" {identity}".encode())

    def _keep(self, number: int, data: Data, size: int) -> None:
        if self._in_memory + size <= _MOST_WAITING:
            self._waiting[number] = data.identity, data.read(size)
            self._in_memory += size
            return
        if self._aside is None:
            self._aside = self._spool.new()
        source = data.open()
        try:
            with writing_aside():
                copy_range(source, self._aside.descriptor, 0, size)
        finally:
            os.close(source)
        self._waiting[number] = data.identity, (self._aside_size, size)
        self._aside_size += size

    def _add_early(self, early: bytes | tuple[int, int]) -> None:
        if isinstance(early, bytes):
            self._in_memory -= len(early)
            self._gathering.add(early)
        elif self._aside is not None:
            self._gathering.add_range(self._aside.descriptor, *early)
