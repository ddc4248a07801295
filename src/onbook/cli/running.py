"""Where the command line meets the event loop: run to the end, or be cancelled cleanly."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from onbook.outcome import Outcome


def run_to_outcome(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """The work's outcome; Ctrl-C, SIGTERM and a reader that left are the outcome `cancelled`."""
    try:
        return asyncio.run(work)
    except (KeyboardInterrupt, asyncio.CancelledError):
        return Outcome.CANCELLED
