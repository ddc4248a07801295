"""SIGTERM and a closed terminal end the work the way Ctrl-C does: cancelled, recorded, cleaned up."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = (signal.SIGTERM, signal.SIGHUP)


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
    try:
        yield
    finally:
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


def _heeded() -> list[signal.Signals]:
    """All but those that whoever started us wants ignored, as `nohup` does."""
    return [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the signature of a handler
    raise asyncio.CancelledError
