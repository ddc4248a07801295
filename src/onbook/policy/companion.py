"""A program that stays beside the session and is talked to line by line, as MCP servers are.

Like every program of the door it has a session of its own, and nothing that it started outlives it. What it says
is taken in no faster than somebody listens, and no line may be longer than memory allows.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Self

from onbook.config.errors import reason
from onbook.outcome import OnbookError
from onbook.policy.guardian import watched
from onbook.policy.proc import MARK
from onbook.policy.process import NotStarted, end_process, handed_over

LONGEST_LINE = 8 << 20
_TAIL = 4096
_FAREWELL = 1.0
"""Seconds that a program has to end by itself once nobody talks to it any more."""


class TooLong(OnbookError):
    """A line that is longer than anybody wants to keep."""


class Companion:
    """The running program. `close` ends it, whatever state it is in."""

    def __init__(self, process: asyncio.subprocess.Process, mark: str) -> None:
        self._process = process
        self._mark = mark
        self._complaints = bytearray()
        self._listening = asyncio.create_task(self._listen_to_complaints())

    @classmethod
    async def start(cls, argv: Sequence[str], *, cwd: Path, environ: Mapping[str, str]) -> Self:
        """Start the program; NotStarted when that cannot be done."""
        mark = watched(os.urandom(16).hex())
        try:
            starting = asyncio.create_subprocess_exec(
                *argv,
                cwd=cwd,
                env={**environ, MARK: mark},
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                limit=LONGEST_LINE,
            )
            process = await handed_over(starting, mark)
        except FileNotFoundError:
            raise NotStarted(_missing(argv[0], cwd)) from None
        except OSError as error:
            raise NotStarted(f"cannot start {argv[0]}: {reason(error)}") from None
        return cls(process, mark)

    async def lines(self) -> AsyncIterator[bytes]:
        """What it says on its standard output, until it ends; TooLong for a line that has no end."""
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                raise TooLong(f"a line of more than {LONGEST_LINE >> 20} MB") from None
            if not line:
                return
            yield line

    async def send(self, line: bytes) -> None:
        """Say one line to it. Who is gone already does not hear it; `lines` tells of that."""
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        try:
            self._process.stdin.write(line + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass

    @property
    def complaint(self) -> str:
        """The last line that it said on its standard error."""
        lines = self._complaints.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    async def ended(self) -> int | None:
        """Its exit code, waited for a moment: who has closed its output is about to end."""
        try:
            async with asyncio.timeout(_FAREWELL):
                while self._process.returncode is None:  # noqa: ASYNC110 - `wait` also waits for its children's pipes
                    await asyncio.sleep(0.01)
        except TimeoutError:
            return None
        return self._process.returncode

    async def close(self) -> None:
        """Stop talking, give it a moment to leave, then end it and everything that it started."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            if self._process.stdout is not None:
                await self._drain_until_ended(self._process.stdout)
        finally:
            self._listening.cancel()
            await end_process(self._process, self._mark)

    async def _drain_until_ended(self, output: asyncio.StreamReader) -> None:
        """Who is stuck with what it wanted to say could not leave."""
        draining = asyncio.create_task(_drain(output))
        try:
            await self.ended()
        finally:
            draining.cancel()

    async def _listen_to_complaints(self) -> None:
        assert self._process.stderr is not None  # noqa: S101 - it was asked for
        while piece := await self._process.stderr.read(1 << 16):
            self._complaints += piece
            del self._complaints[:-_TAIL]


async def _drain(output: asyncio.StreamReader) -> None:
    while await output.read(1 << 16):
        pass


def _missing(program: str, folder: Path) -> str:
    return f"there is no program {program}" if folder.is_dir() else f"there is no folder {folder}"
