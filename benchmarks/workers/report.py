"""The workers' side of the conversation with `lab.Worker`: a number comes in, seconds go out."""

import sys
import time
from collections.abc import Awaitable, Callable

WORDS = ["word"] * 50
CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}


async def report_calls(call: Callable[[], Awaitable[str]], clock: Callable[[], float] = time.process_time) -> None:
    """For each line of standard input, makes so many calls and prints the seconds: CPU of this process, as a rule."""
    for line in sys.stdin:
        text = ""
        began = clock()
        for _ in range(int(line)):
            text = await call()
        seconds = clock() - began
        if text.split() != WORDS:
            raise RuntimeError(f"not the answer: {text!r}")
        print(seconds, flush=True)


def report_work(work: Callable[[], object]) -> None:
    """For each line of standard input, does the work so many times and prints the CPU seconds of this process."""
    for line in sys.stdin:
        seconds = 0.0
        for _ in range(int(line)):
            began = time.process_time()
            made = work()
            seconds += time.process_time() - began
            del made
        print(seconds, flush=True)


def report_times(
    work: Callable[[], object],
    *,
    before: Callable[[], object] = lambda: None,
    parts: int = 1,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """For each line of standard input, does the work so many times and prints the seconds that it took, for each of
    its equal parts; by the usual clock, waiting for the disk counts. What `before` does is not counted."""
    for line in sys.stdin:
        seconds = 0.0
        for _ in range(int(line)):
            before()
            began = clock()
            work()
            seconds += clock() - began
        print(seconds / parts, flush=True)


def report_sizes(work: Callable[[int], float]) -> None:
    """For each line of standard input, does so much work and prints the seconds that it says."""
    for line in sys.stdin:
        print(work(int(line)), flush=True)
