"""SIGTERM and a closed terminal end the work the way Ctrl-C does: cancelled, recorded, cleaned up."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = (signal.SIGTERM, signal.SIGHUP)
_NOBODY = -1


@contextmanager
def cancelling() -> Iterator[None]:
    """Inside a task: a stopping signal cancels the task, even one that arrives when the work is just done."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    told: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
        told.append(number)
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)

    before = {number: signal.signal(number, stop) for number in _heeded()}
    held = signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
    try:
        with _waking(loop):
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        for number, handler in before.items():
            signal.signal(number, handler)
    if told:
        raise asyncio.CancelledError


@contextmanager
def leaving() -> Iterator[None]:
    """Outside the event loop, where input is waited for: a stopping signal is raised as a cancellation."""
    before = {number: signal.signal(number, _leave) for number in _heeded()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def held_back() -> Iterator[None]:
    """Around an event loop whose work is `cancelling`: a stopping signal comes there or after the loop, never in the
    middle of the loop's own doings, which would leave tasks behind that nobody ends."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _waking(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """A signal, Ctrl-C too, that comes just before the loop goes to sleep wakes it. Python alone calls a handler when
    there is something to do again, and for work that hangs in a thread that may be never."""
    heard, told = os.pipe()
    os.set_blocking(heard, False)
    os.set_blocking(told, False)
    others = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    if others != _NOBODY:  # a loop that handles signals itself has seen to it
        signal.set_wakeup_fd(others)
    loop.add_reader(heard, os.read, heard, 4096)
    try:
        yield
    finally:
        last = signal.set_wakeup_fd(_NOBODY)
        if last != told:
            signal.set_wakeup_fd(last)
        loop.remove_reader(heard)
        os.close(heard)
        os.close(told)


def _heeded() -> list[signal.Signals]:
    """All but those that whoever started us wants ignored, as `nohup` does."""
    return [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    raise asyncio.CancelledError
