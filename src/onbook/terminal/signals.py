"""SIGTERM and a closed terminal end the work the way Ctrl-C does: cancelled, recorded, cleaned up."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def cancelling() -> Iterator[None]:
    """Inside a task: a stopping signal cancels the task."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    before = {number: signal.getsignal(number) for number in _heeded()}
    if task is not None:
        for number in before:
            loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


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
