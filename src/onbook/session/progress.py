"""How far a loop is, for whoever shows it while nothing else happens."""

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext


class Progress:
    """`words` is what the status line says: `iteration 3/10`, or `iteration 4/10 in 28s`; nothing without a loop."""

    def __init__(self) -> None:
        self._place = ""
        self._until: float | None = None
        self.counted_down_by: Callable[[], AbstractContextManager[object]] = nullcontext
        """Opened around each wait, for where there is no status line."""

    @property
    def words(self) -> str:
        if self._until is None:
            return self._place
        left = max(0, math.ceil(self._until - time.monotonic()))
        minutes, seconds = divmod(left, 60)
        hours, minutes = divmod(minutes, 60)
        if hours:
            return f"{self._place} in {hours}h{minutes:02}m"
        return f"{self._place} in {minutes}m{seconds:02}s" if minutes else f"{self._place} in {seconds}s"

    @contextmanager
    def looping(self) -> Iterator[None]:
        """Inside, there is something to say."""
        try:
            yield
        finally:
            self._place = ""

    def reach(self, number: int, count: int) -> None:
        """This iteration is the one that runs, or the next."""
        self._place = f"iteration {number}/{count}"

    async def sleep(self, seconds: float) -> None:
        """Wait, counting down."""
        self._until = time.monotonic() + seconds
        try:
            with self.counted_down_by():
                await asyncio.sleep(seconds)
        finally:
            self._until = None
