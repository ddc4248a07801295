"""One process, from its start to the end of everything it started.

It gets its own session, an environment without keys, and limits for time and output. Whatever ends the run (its
own end, the time limit, a flood, a cancelled task), the whole group is told to stop, killed two seconds later,
and whoever left the group is found by a mark in the environment.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from onbook.config.errors import reason
from onbook.outcome import OnbookError
from onbook.policy.guardian import watched
from onbook.policy.proc import MARK, everybody, group_answers, marked, signal_each, signal_group, standing_of

GRACE = 2.0
FLOOD = 64
"""A program is stopped when it says so many times more than what is kept."""
FLOOD_AT_LEAST = 16 << 20
_PIECE = 1 << 16

Hear = Callable[[bytes], None]
"""Whoever is told what a program says, piece by piece."""


class NotStarted(OnbookError):
    """A program that could not be started."""


class Ran(msgspec.Struct, frozen=True):
    """How a process ended and what it said, standard output and errors in the order they came."""

    exit_code: int
    """Negative for a signal, as Python counts."""
    output: bytes
    truncated: bool
    seconds: float
    stopped: str = ""
    """Why it was stopped, where it did not end by itself."""


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    timeout: float | None,  # noqa: ASYNC109 - running out of time is an answer here, not an error
    output_limit: int,
    stdin: bytes = b"",
    on_output: Hear | None = None,
    on_errors: Hear | None = None,
) -> Ran:
    """Run a program to its end, or to its limit. With `on_errors` its standard error goes there, and is no output."""
    started = time.monotonic()
    mark = watched(os.urandom(16).hex())
    said = _Said(output_limit, on_output, on_errors)
    starting = _start(argv, cwd, {**environ, MARK: mark}, with_input=bool(stdin), errors_apart=on_errors is not None)
    process = await handed_over(starting, mark)
    timed_out = False
    try:
        try:
            async with asyncio.timeout(timeout):
                await _talk(process, stdin, said)
        except TimeoutError:
            timed_out = True
    finally:
        await end_process(process, mark)
    if timed_out:
        said.stopped = f"stopped after {timeout:g} s"
    seconds = time.monotonic() - started
    return Ran(process.returncode or 0, said.output(), said.truncated, seconds, said.stopped)


class _Said:
    """The beginning and the end of what a program says; the middle is counted and dropped."""

    def __init__(self, limit: int, on_output: Hear | None, on_errors: Hear | None) -> None:
        self._room = limit - limit // 4
        self._tail_room = limit // 4
        self._most = max(limit * FLOOD, FLOOD_AT_LEAST)
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._on_output = on_output
        self.on_errors = on_errors
        self.stopped = ""

    def add(self, piece: bytes) -> bool:
        """Take a piece; False when it is time to stop listening."""
        self._total += len(piece)
        fits = piece[: self._room - len(self._head)]
        self._head += fits
        if self._on_output is not None and fits:
            self._on_output(fits)
        self._tail += piece[len(fits) :]
        del self._tail[: max(len(self._tail) - self._tail_room, 0)]
        if self._total > self._most:
            self.stopped = f"stopped after {self._total} bytes of output"
            return False
        return True

    @property
    def _dropped(self) -> int:
        return self._total - len(self._head) - len(self._tail)

    @property
    def truncated(self) -> bool:
        return self._dropped > 0

    def output(self) -> bytes:
        middle = f"\n[… {self._dropped} bytes left out …]\n".encode() if self.truncated else b""
        end = f"\n[{self.stopped}]\n".encode() if self.stopped else b""
        return bytes(self._head) + middle + bytes(self._tail) + end


async def handed_over(
    starting: Coroutine[Any, Any, asyncio.subprocess.Process], mark: str
) -> asyncio.subprocess.Process:
    """The program that is being started. It runs before asyncio hands it over: cancelled in between, it is ended with
    all that it has started by then."""
    handing = asyncio.ensure_future(starting)
    if await _settled(handing):
        if handing.exception() is None:
            await end_process(handing.result(), mark)
        raise asyncio.CancelledError
    return handing.result()


async def _start(
    argv: Sequence[str], cwd: Path, environ: dict[str, str], *, with_input: bool, errors_apart: bool
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *argv,
            cwd=cwd,
            env=environ,
            stdin=asyncio.subprocess.PIPE if with_input else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE if errors_apart else asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise NotStarted(f"there is no program {argv[0]}") from None
    except OSError as error:
        raise NotStarted(f"cannot start {argv[0]}: {reason(error)}") from None
    except ValueError:
        raise NotStarted(f"cannot start {argv[0]}: an argument has a NUL in it") from None


async def _talk(process: asyncio.subprocess.Process, stdin: bytes, said: _Said) -> None:
    """Feed and listen until the program itself has ended; what it left running is not waited for."""
    try:
        await _talk_in_a_group(process, stdin, said)
    except BaseExceptionGroup as group:  # somebody who listens to the output failed
        raise group.exceptions[0] from None


async def _talk_in_a_group(process: asyncio.subprocess.Process, stdin: bytes, said: _Said) -> None:
    async with asyncio.TaskGroup() as group:
        feeding = group.create_task(_feed(process, stdin))
        complaining = group.create_task(_listen_to_errors(process, said))
        listening = group.create_task(_listen(process, said))
        waiting = group.create_task(_exited(process))
        await asyncio.wait((listening, waiting), return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done() and listening.result():
            await waiting
        if waiting.done():  # what is still in the pipes is heard; whoever holds them open is not waited for
            await asyncio.wait((listening, complaining), timeout=0.2)
        if listening.cancelled() or complaining.cancelled():  # whoever listens wants no more; a group would not say so
            raise asyncio.CancelledError
        for task in (feeding, complaining, listening, waiting):
            task.cancel()


async def _exited(process: asyncio.subprocess.Process) -> None:
    """Until the program itself has ended: asyncio's own `wait` also waits for whoever else holds the pipes."""
    pause = 0.0005
    while process.returncode is None:
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.01)


async def _feed(process: asyncio.subprocess.Process, stdin: bytes) -> None:
    if process.stdin is None:
        return
    try:
        process.stdin.write(stdin)
        await process.stdin.drain()
        process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):  # it does not want to hear more
        pass


async def _listen(process: asyncio.subprocess.Process, said: _Said) -> bool:
    """True when the program closed its output, False when it said too much."""
    assert process.stdout is not None  # noqa: S101 - it was asked for
    while piece := await process.stdout.read(_PIECE):
        if not said.add(piece):
            return False
    return True


async def _listen_to_errors(process: asyncio.subprocess.Process, said: _Said) -> None:
    while process.stderr is not None and said.on_errors is not None and (piece := await process.stderr.read(_PIECE)):
        said.on_errors(piece)


async def end_process(process: asyncio.subprocess.Process, mark: str) -> None:
    """Stop the group and everything that left it. A task that is cancelled meanwhile kills at once."""
    alive = process.returncode is None or _group_lives(process.pid)
    try:
        if alive:
            signal_group(process.pid, signal.SIGTERM)
            await _gone(process)
    finally:
        if alive:
            signal_group(process.pid, signal.SIGKILL)
        _kill_marked(mark)
        await _collected(process)


async def _collected(process: asyncio.subprocess.Process) -> None:
    """Until the killed process is off the books."""
    collecting = asyncio.ensure_future(_collect(process))
    cancelled = await _settled(collecting)
    collecting.result()
    if cancelled:
        raise asyncio.CancelledError


async def _settled(work: "asyncio.Future[Any]") -> bool:
    """Until the work is done, a moment that not even cancelling cuts short; whether somebody tried to."""
    cancelled = False
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError:
            cancelled = True
    return cancelled


async def _collect(process: asyncio.subprocess.Process) -> None:
    try:
        async with asyncio.timeout(5):  # a process stuck in the kernel is not waited for
            await _exited(process)
    except TimeoutError:
        return
    _close_pipes(process)
    await process.wait()


def _close_pipes(process: asyncio.subprocess.Process) -> None:
    """Let go of the output even when somebody out of reach still holds its other end."""
    transport = getattr(process, "_transport", None)  # asyncio offers no other way
    if transport is not None:
        transport.close()


async def _gone(process: asyncio.subprocess.Process) -> None:
    """Until nobody of the group is left, for as long as the grace lasts. No event tells of a group's end."""
    until = time.monotonic() + GRACE
    pause = 0.005
    while time.monotonic() < until and (process.returncode is None or _group_lives(process.pid)):
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.1)


def _group_lives(group: int) -> bool:
    """Whether anybody of the group is left, other than those that have ended and were not collected yet."""
    return group_answers(group) and (sys.platform != "linux" or any(_is_alive_in(group, pid) for pid in everybody()))


def _is_alive_in(group: int, pid: int) -> bool:
    standing = standing_of(pid)
    return standing.group == group and standing.letter != "Z"


def _kill_marked(mark: str) -> None:
    """Kill whoever made a session of its own; again while new ones appear. Only Linux shows environments."""
    if sys.platform != "linux":
        return
    for _ in range(20):
        found = marked(lambda carried: carried == mark.encode())
        signal_each(found, signal.SIGKILL)
        if not found:
            return
