"""A thread that never ends, as one that waits for a disk which no longer answers, does not keep onbook from ending."""

import asyncio
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

PATIENCE = 3.0
"""Seconds for what a thread is in the middle of. What it writes is whole or not there, so it can be left."""


def leave_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Before a loop is closed: it would wait for the threads in which work that was cancelled still is."""
    loop.set_default_executor(ThreadPoolExecutor(1))  # with no thread yet; those of the old one end when they can


def end_in_spite_of_threads(code: int) -> None:
    """Return when no thread is left for which Python would wait at its end; end the process where one stays."""
    until = time.monotonic() + PATIENCE
    waited_for = [each for each in threading.enumerate() if not each.daemon and each is not threading.main_thread()]
    try:
        for thread in waited_for:
            if thread.is_alive():  # one may never have begun: a second Ctrl-C met it there
                thread.join(max(0.0, until - time.monotonic()))
    except KeyboardInterrupt:
        os._exit(code)
    if any(thread.is_alive() for thread in waited_for):
        os._exit(code)
