"""Waiting for a script: its end wakes us up; only one that takes long is looked after in between."""

import asyncio
import os
import threading
from contextlib import suppress

import msgspec

from onbook.flow.streams import Streams
from onbook.flow.world import Here

_LOOK = 0.25
"""Seconds between two looks at a script that is still running."""


class Stop(msgspec.Struct, frozen=True):
    """Why a script must be stopped."""

    reason: str
    timed_out: bool = False

    @classmethod
    def flooded(cls, limit: int) -> "Stop":
        return cls(f"wrote more than {_amount(limit)}")


async def until_over(
    pid: int,
    seconds: float,
    streams: Streams,
    limit: int,
    here: Here,
) -> Stop | None:
    """Until the script has ended by itself (None) or has reached a limit. It is not collected."""
    loop = asyncio.get_running_loop()
    watch = _Watch(loop, seconds, streams, limit, here)
    descriptor = _pidfd(pid)
    if descriptor is None:
        threading.Thread(target=_wait, args=(pid, loop, watch), daemon=True).start()
    else:
        loop.add_reader(descriptor, watch.settle)
    try:
        return await watch.over
    finally:
        watch.timer.cancel()
        if descriptor is not None:
            loop.remove_reader(descriptor)
            os.close(descriptor)


class _Watch:
    """Looks now and then whether a script has gone too far, and passes on what it complains about."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, streams: Streams, limit: int, here: Here
    ) -> None:
        self.over: asyncio.Future[Stop | None] = loop.create_future()
        self._loop = loop
        self._seconds = seconds
        self._deadline = loop.time() + seconds
        self._streams = streams
        self._limit = limit
        self._here = here
        self.timer = loop.call_later(min(_LOOK, seconds), self._look)

    def settle(self, stop: Stop | None = None) -> None:
        """It is over."""
        if not self.over.done():
            self.over.set_result(stop)

    def _look(self) -> None:
        self._streams.tell(self._here)
        now = self._loop.time()
        if self._streams.size() > self._limit:
            self.settle(Stop.flooded(self._limit))
        elif now >= self._deadline:
            self.settle(Stop(f"timed out after {self._seconds:g} s", timed_out=True))
        else:
            self.timer = self._loop.call_at(min(now + _LOOK, self._deadline), self._look)


def _pidfd(pid: int) -> int | None:
    """What becomes readable when the process ends; None where there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _wait(pid: int, loop: asyncio.AbstractEventLoop, watch: _Watch) -> None:
    with suppress(ChildProcessError):
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    with suppress(RuntimeError):  # nobody waits any more
        loop.call_soon_threadsafe(watch.settle)


def _amount(size: int) -> str:
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} bytes"
