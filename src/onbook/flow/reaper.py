"""Ending scripts with everything they started, also what has left their process group.

On Linux the runner is a child subreaper: whoever loses its parent becomes a child of ours, so that a daemon is seen as
soon as it has cut itself loose. Whose it is, its session says, or the mark in its environment. Elsewhere the process
group is all that can be found.

A runner that is killed ends nobody: its guardian does. What is left even so is found by the run's id in the mark, when
the run goes on.
"""

import asyncio
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from onbook.policy.guardian import guardian, watched
from onbook.policy.proc import group_answers, mark_of, marked, signal_each, signal_group, standing_of

GRACE = 2.0
"""Seconds between asking to end and killing."""
_LOOK = 0.02
_LOST = 255 << 8
"""The wait status of a process that somebody else has collected."""
_SET_CHILD_SUBREAPER = 36
_GET_CHILD_SUBREAPER = 37


class Reaper:
    """Keeps the books of one run's processes. `with` it, and nothing of the run outlives the block."""

    def __init__(self) -> None:
        self._running: dict[int, bytes] = {}
        """Scripts that have not ended, each with its mark."""
        self._ended: dict[int, int] = {}
        """The wait status of those that had to be collected before their group was gone."""
        self._children = -1
        self._before: frozenset[int] = frozenset()
        self._was_subreaper = False
        self._session = os.getsid(0)
        self._run = os.urandom(8).hex()
        self._count = 0

    def __enter__(self) -> Self:
        if sys.platform == "linux":
            self._was_subreaper = _become_subreaper(on=True)
            # Orphans go to the main thread, whose number is the process's.
            with suppress(OSError):
                self._children = os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
            self._before = frozenset(self._list())
        return self

    def __exit__(self, *_: object) -> None:
        for pid in self._running:
            signal_group(pid, signal.SIGKILL)
            _collect(pid, patiently=True)
        self._running.clear()
        _kill_all(self._strays)
        if self._children >= 0:
            os.close(self._children)
            self._children = -1
            _become_subreaper(on=self._was_subreaper)

    def new_mark(self, run: str) -> str:
        """The value of `MARK` for one process of a run."""
        self._count += 1
        return watched(f"{self._run}-{self._count}@{run}")

    def add(self, pid: int, mark: str) -> None:
        """A script was started."""
        self._running[pid] = mark.encode()

    def collect(self, pid: int) -> int | None:
        """The wait status of a script that has ended; None when it left something behind, which must be ended first."""
        if self._lives_on(pid):
            return None
        del self._running[pid]
        return self._status(pid)

    async def end(self, pid: int) -> int:
        """End a script and what it left behind: told to stop, killed when the grace is over, or at once when this is
        cancelled. Its wait status."""
        told: set[int] = set()
        try:
            signal_group(pid, signal.SIGTERM)
            until = time.monotonic() + GRACE
            pause = 0.002
            while time.monotonic() < until and (not _has_ended(pid) or self._lives_on(pid)):
                orphans = set(self._leftovers(pid)) - told  # some lose their parent only now
                signal_each(orphans, signal.SIGTERM)
                told |= orphans
                await asyncio.sleep(pause)
                pause = min(pause * 2, 0.05)
        finally:
            # Until it is collected nobody else can have its number, so that the right ones are killed.
            signal_group(pid, signal.SIGKILL)
            _kill_all(lambda: self._leftovers(pid))
            status = self._status(pid, patiently=True)
            _kill_all(lambda: self._leftovers(pid))
            self._running.pop(pid, None)
        return status or 0

    def _lives_on(self, pid: int) -> bool:
        """Whether something of the script is left besides itself."""
        if self._children >= 0:
            return bool(self._leftovers(pid))
        if pid not in self._ended and (status := _collect(pid)) is not None:
            self._ended[pid] = status  # while it is not collected, its group would count as alive
        return group_answers(pid)

    def _status(self, pid: int, *, patiently: bool = False) -> int | None:
        return self._ended.pop(pid) if pid in self._ended else _collect(pid, patiently=patiently)

    def _list(self) -> list[int]:
        """Our children, the adopted ones included, but for the one that watches over all."""
        if self._children < 0:
            return []
        text = b""
        while piece := os.pread(self._children, 1 << 16, len(text)):
            text += piece
        watching = guardian()
        return [pid for number in text.split() if (pid := int(number)) != watching]

    def _leftovers(self, pid: int) -> list[int]:
        """What belongs to the script and has lost its parent. Dead ones are collected on the way."""
        unknown = [child for child in self._list() if child not in self._running and child not in self._before]
        return [child for child in unknown if self._belongs(child, pid) and _collect(child) is None] if unknown else []

    def _belongs(self, child: int, pid: int) -> bool:
        standing = standing_of(child)
        if standing.session == pid:
            return True
        if standing.session in self._running or standing.session == self._session or standing.letter == "Z":
            return False
        carried = mark_of(child)
        if carried == self._running.get(pid):
            return True
        # Who has wiped its environment may be of any script that runs; with one left, it is clear whose.
        return len(self._running) <= 1 and (not carried or self._is_ours(carried))

    def _is_ours(self, mark: bytes) -> bool:
        return f".{self._run}-".encode() in mark

    def _strays(self) -> list[int]:
        """What is left at the very end, whoever it belonged to."""
        found: list[int] = []
        for child in self._list():
            ours = standing_of(child).session == self._session
            if child in self._before or ours or _collect(child) is not None:
                continue
            if not (carried := mark_of(child)) or self._is_ours(carried):
                found.append(child)
        return found


async def end_leftovers(run: str) -> None:
    """End what the killed runner of a run left behind: two of the same script at once may do harm. Linux alone can
    tell whose they are."""
    if sys.platform != "linux":
        return
    mark = f"@{run}".encode()

    def left() -> list[int]:
        return marked(lambda carried: carried.endswith(mark))

    signal_each(left(), signal.SIGTERM)
    for _ in range(int(GRACE / _LOOK)):
        if not left():
            return
        await asyncio.sleep(_LOOK)
    signal_each(left(), signal.SIGKILL)


def _kill_all(look: Callable[[], list[int]]) -> None:
    """Kill whoever is seen, and look again: their children may have become ours by it."""
    for _ in range(20):
        if not (found := look()):
            return
        signal_each(found, signal.SIGKILL)
        for pid in found:
            _collect(pid, patiently=True)


def _become_subreaper(*, on: bool) -> bool:
    """Whether orphans below us become our children; how it was before."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = ctypes.c_int(0)
    libc.prctl(_GET_CHILD_SUBREAPER, ctypes.byref(before), 0, 0, 0)
    libc.prctl(_SET_CHILD_SUBREAPER, int(on), 0, 0, 0)
    return bool(before.value)


def _collect(pid: int, *, patiently: bool = False) -> int | None:
    """The wait status of a child that has ended; None for one that has not. A killed one is waited for a while, but
    not one that is stuck in the kernel."""
    until = time.monotonic() + (5.0 if patiently else 0.0)
    while True:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return _LOST
        if ended:
            return status
        if time.monotonic() >= until:
            return None
        time.sleep(0.001)


def _has_ended(pid: int) -> bool:
    """Whether it has, be it collected or not."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
