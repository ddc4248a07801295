"""One try of an agent that is somebody else's program: the prompt on its standard input, the reply on its output.

It runs in the workspace, in a process group of its own, without keys in its environment but those that the settings
name, and no process of it outlives the try. What it does to files is up to it: who seats it there trusts it.
"""

import asyncio
import os
import shlex
import time

from onbook.config.workflow_settings import ExternalAgent
from onbook.events import Note, PromptStep, RunFinished, RunStarted, Totals
from onbook.excerpt import plain
from onbook.outcome import OnbookError, Outcome
from onbook.policy.effects import Run
from onbook.policy.process import Ran
from onbook.session.live import Live
from onbook.session.programs import ending, process_finished
from onbook.words import counted
from onbook.workflow.agents.talking import Failed

MOST_BYTES = 1 << 20
"""Of a reply; one that is longer is none."""
_TAIL = 2_000


class Program:
    """The program on one errand, told as a run of its own."""

    def __init__(self, live: Live, agent: ExternalAgent, step: PromptStep) -> None:
        self._live = live
        self._agent = agent
        self._step = step
        self._run = os.urandom(4).hex()
        self._complaints = b""

    async def reply(self, prompt: str) -> str:
        """What it writes to standard output. Failed where it fails, takes too long or says too much."""
        self._begin(prompt)
        began = time.monotonic()
        outcome, error, reply = Outcome.FAILED, "", ""
        try:
            reply = self._said(await self._perform(prompt))
            outcome = Outcome.PASSED
        except asyncio.CancelledError:
            outcome = Outcome.CANCELLED
            raise
        except OnbookError as problem:
            outcome, error = problem.outcome, str(problem)
            raise
        finally:
            self._finish(outcome, error, reply, time.monotonic() - began)
        return reply

    async def _perform(self, prompt: str) -> Ran:
        agent = self._agent
        ran = await self._live.door.because("the settings name it").run(
            Run(agent.argv),
            by="user",
            timeout=agent.timeout,
            output_limit=MOST_BYTES,
            stdin=prompt.encode(),
            on_errors=self._complained,
            keep=agent.env,
        )
        self._live.emit(process_finished(self._run, self._command, plain(ran.output), ran))
        return ran

    def _said(self, ran: Ran) -> str:
        if ran.stopped or ran.exit_code:
            last = plain(self._complaints).strip().rpartition("\n")[2]
            raise Failed(f"{self._command}: {ending(ran)}" + (f": {last}" if last else ""))
        if ran.truncated:
            raise Failed(f"{self._command}: said more than {counted(MOST_BYTES, 'byte')}")
        return plain(ran.output)

    def _complained(self, piece: bytes) -> None:
        self._complaints = (self._complaints + piece)[-_TAIL:]
        self._live.emit(Note(run=self._run, time=time.time(), text=plain(piece).rstrip("\n"), level="debug"))

    @property
    def _command(self) -> str:
        return shlex.join(self._agent.argv)

    def _begin(self, prompt: str) -> None:
        self._live.emit(
            RunStarted(
                run=self._run,
                time=time.time(),
                kind="agent",
                input=prompt,
                workspace=self._live.chat.workspace,
                name=self._command,
                step=self._step,
            )
        )

    def _finish(self, outcome: Outcome, error: str, reply: str, seconds: float) -> None:
        self._live.emit(
            RunFinished(
                run=self._run,
                time=time.time(),
                outcome=outcome.value,
                exit_code=outcome.exit_code,
                text=reply,
                error=error,
                totals=Totals(seconds=seconds),
                running=self._live.ledger.running,
            )
        )
