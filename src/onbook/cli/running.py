"""Where the command line meets the event loop: run to the end, or be cancelled cleanly."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from onbook.outcome import Outcome
from onbook.terminal.signals import cancelling


def run_to_outcome(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """The work's outcome; Ctrl-C, SIGTERM and a reader that left are the outcome `cancelled`."""
    try:
        return asyncio.run(_cancellable(work))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return Outcome.CANCELLED


async def _cancellable(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    with cancelling():
        return await work
