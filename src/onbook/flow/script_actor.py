"""The script actor: a program that reads a step's input and writes its output, by descriptors and not through us."""

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from onbook.flow.data import Data
from onbook.flow.reaper import Reaper
from onbook.flow.shell_words import words_read
from onbook.flow.spawn import SHELL, NotStarted, find, start
from onbook.flow.spool import Spool
from onbook.flow.steps import Script
from onbook.flow.streams import Streams
from onbook.flow.waiting import Stop, until_over
from onbook.flow.world import Here, StepFailed
from onbook.journal.keys import ScriptDigests
from onbook.policy.door import Door
from onbook.policy.effects import Run
from onbook.policy.proc import MARK

OUTPUT_LIMIT = 4 << 30
"""More than this, on both streams together, is a flood."""


class ScriptActor:
    """Runs the scripts of one run. `with` it, and no process of theirs outlives the block."""

    def __init__(self, door: Door, cwd: Path, spool: Spool, *, output_limit: int = OUTPUT_LIMIT) -> None:
        self._door = door
        self._cwd = cwd
        self._spool = spool
        self._output_limit = output_limit
        self._reaper = Reaper()
        self._block = ExitStack()
        self._let_pass: Callable[[Run], None]
        self._digests = ScriptDigests(cwd)
        self._idle: list[Streams] = []
        self._commands: dict[Script, _Command] = {}

    def __enter__(self) -> Self:
        self._let_pass = self._block.enter_context(self._door.program_starts())
        self._block.enter_context(self._reaper)
        return self

    def __exit__(self, *_: object) -> None:
        self._block.close()
        self._idle.clear()

    def fingerprint(self, definition: Script) -> str:
        """The content of every file that the command names."""
        return self._digests.of(self._command(definition).words).hex()

    async def perform(self, definition: Script, given: Data, here: Here) -> Data:
        """Run the script to its end; what it wrote to standard output."""
        streams = self._idle.pop() if self._idle else Streams(self._spool)
        pid = self._start(self._command(definition), given, here, streams)
        try:
            stop = await until_over(pid, definition.timeout, streams, self._output_limit, here)
        except BaseException:
            await self._reaper.end(pid)
            raise
        status = None if stop else self._reaper.collect(pid)
        is_clean = status is not None
        if status is None:
            status = await self._reaper.end(pid)
        streams.tell(here)
        if stop is None and streams.size() > self._output_limit:
            stop = Stop.flooded(self._output_limit)
        if stop or status:
            raise _failed(stop, status, streams, here)
        output = streams.take()
        if is_clean:  # nobody is left who could write into them
            self._idle.append(streams)
        return output

    def _start(self, command: "_Command", given: Data, here: Here, streams: Streams) -> int:
        self._let_pass(command.effect)
        mark = self._reaper.new_mark(here.world.run)
        environ = {
            **command.environ,
            "PIPELINE_NAME": here.flow,
            "PIPELINE_STEP": here.step,
            "PIPELINE_STEP_INDEX": str(here.index),
            "PIPELINE_TOTAL_STEPS": str(here.total),
            "OCTOMIND_ROLE": here.world.role,
            "ONBOOK_ROLE": here.world.role,
            MARK: mark,
        }
        stdin = given.open()
        try:
            command.program = command.program or find(command.argv[0], self._cwd, environ)
            handed = (stdin, streams.out.descriptor, streams.err.descriptor)
            pid = start(command.program, command.argv, environ, self._cwd, handed)
        except NotStarted as error:
            raise StepFailed(str(error), address=here.address) from None
        finally:
            os.close(stdin)
        self._reaper.add(pid, mark)
        return pid

    def _command(self, definition: Script) -> "_Command":
        command = self._commands.get(definition)
        if command is None:
            cwd = str(self._cwd)
            environ = self._door.environment(definition.env) | {"ONBOOK_WORKING_DIR": cwd, "OCTOMIND_WORKING_DIR": cwd}
            command = self._commands[definition] = _Command(definition, environ)
        return command


class _Command:
    """What does not change from one instance of a script to the next."""

    def __init__(self, definition: Script, environ: dict[str, str]) -> None:
        line, *rest = definition.argv
        self.argv = (SHELL, "-c", line, "sh", *rest) if definition.shell else definition.argv
        self.effect = Run(definition.argv, definition.shell)
        self.environ = environ
        self.words = tuple(words_read(definition.argv))
        self.program = ""
        """Where it was found."""


def _failed(stop: Stop | None, status: int, streams: Streams, here: Here) -> StepFailed:
    code = os.waitstatus_to_exitcode(status)
    tail = streams.tail()
    last = tail.rpartition("\n")[2] or ("" if streams.have_room() else "the disk is full")
    return StepFailed(
        stop.reason if stop else f"{_ending(code)}: {last}" if last else _ending(code),
        address=here.address,
        exit_code=None if stop else code,
        stderr=tail,
        timed_out=stop is not None and stop.timed_out,
    )


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"ended by signal {-code}"
