"""What a script writes: two files, its output and its complaints, used again for the next script."""

import fcntl
import os
import time

from onbook.events import Note
from onbook.flow.data import SMALL, Data, Large, Small
from onbook.flow.spool import Spool
from onbook.flow.world import Here
from onbook.policy.secrets import redact

_TAIL = 2000
_LINES = 20
"""So much of what a failed script complained about is shown."""
_AT_ONCE = 1 << 16
"""More than this of a flood of complaints is not shown between two looks."""


class Streams:
    """Standard output and standard error of one script at a time."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self.out = spool.new()
        self.err = spool.new()
        # Lines stay whole when several processes complain at once, or one of them opens /dev/stderr anew.
        fcntl.fcntl(self.err.descriptor, fcntl.F_SETFL, os.O_APPEND)
        self._told = 0

    def size(self) -> int:
        """The bytes written so far, on both."""
        return os.fstat(self.out.descriptor).st_size + os.fstat(self.err.descriptor).st_size

    def have_room(self) -> bool:
        """Whether the disk takes more of what is written. A script that fails for want of room can often not say so."""
        return os.fstatvfs(self.out.descriptor).f_bavail > 0

    def tell(self, here: Here) -> None:
        """Whole lines of complaints that nobody has heard yet, at debug level."""
        size = os.fstat(self.err.descriptor).st_size
        if size <= self._told:
            return
        piece = os.pread(self.err.descriptor, min(size - self._told, _AT_ONCE), self._told)
        self._told = size
        text = piece.decode(errors="replace").rstrip("\n")
        here.world.emit(Note(run=here.world.run, time=time.time(), text=f"{here.address}: {text}", level="debug"))

    def tail(self) -> str:
        """The end of the complaints, without keys."""
        size = os.fstat(self.err.descriptor).st_size
        text = os.pread(self.err.descriptor, _TAIL, max(size - _TAIL, 0)).decode(errors="replace").strip()
        return redact("\n".join(line.rstrip() for line in text.split("\n")[-_LINES:]))

    def take(self) -> Data:
        """The output; afterwards both files are empty again."""
        if self._told:
            os.ftruncate(self.err.descriptor, 0)
            self._told = 0
        size = os.fstat(self.out.descriptor).st_size
        if size > SMALL:
            data: Data = Large(self.out, size)
            self.out = self._spool.new()
            return data
        content = b""
        if size:
            content = os.pread(self.out.descriptor, size, 0)
            os.ftruncate(self.out.descriptor, 0)
        os.lseek(self.out.descriptor, 0, os.SEEK_SET)
        return Small(content)
