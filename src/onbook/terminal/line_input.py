"""One line from a terminal that can do no more than lines, waited for without blocking anything else."""

import asyncio
import sys


async def next_line(stopped: asyncio.Event | None = None) -> str:
    """The next line of the input; empty at its end, and where `stopped` is set before. Cancelling ends the wait."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(sys.stdin, ready.set)
    waits = [asyncio.create_task(each.wait()) for each in (ready, stopped) if each is not None]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        loop.remove_reader(sys.stdin)
        for task in waits:
            task.cancel()
    if stopped is not None and stopped.is_set():
        return ""
    return sys.stdin.buffer.readline().decode("utf-8", "replace")
