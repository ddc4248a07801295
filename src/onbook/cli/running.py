"""Where the command line meets the event loop: run to the end, or be cancelled cleanly."""

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from onbook.cli.letting_go import leave_threads
from onbook.outcome import Outcome
from onbook.terminal.signals import cancelling


def run_to_outcome(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """The work's outcome; Ctrl-C, SIGTERM and a reader that left are the outcome `cancelled`."""
    whole = _cancellable(work)
    try:
        with asyncio.Runner() as runner:
            with _undisturbed():
                runner.get_loop()
            try:
                return runner.run(whole)
            finally:
                leave_threads(runner.get_loop())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return Outcome.CANCELLED
    finally:
        # Python complains of what Ctrl-C met before it began, unless it is closed; what has ended is not touched.
        whole.close()
        work.close()


async def _cancellable(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    with cancelling():
        return await work


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C waits for the end of this: half an event loop cannot even be closed."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
