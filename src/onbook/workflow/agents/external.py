"""One try of an agent that is somebody else's program: the prompt on its standard input, the reply on its output.

It runs in the workspace, in a process group of its own, without keys in its environment but those that the settings
name, and no process of it outlives the try. What it does to files is up to it: who seats it there trusts it.
"""

import asyncio
import os
import shlex
import time

from onbook.config.workflow_settings import ExternalAgent
from onbook.events import ProcessFinished, PromptStep, RunFinished, RunStarted, Totals
from onbook.excerpt import plain
from onbook.flow.data import Small
from onbook.flow.script_actor import ScriptActor
from onbook.flow.spool import Spool
from onbook.flow.steps import Script
from onbook.flow.world import Here, StepFailed, World
from onbook.outcome import OnbookError, Outcome
from onbook.session.live import Live
from onbook.workflow.agents.talking import MOST_SAID, Failed

OUTPUT_LIMIT = 4 << 20
"""Bytes on both its streams together; more is a flood."""


class Program:
    """The program on one errand, told as a run of its own."""

    def __init__(self, live: Live, agent: ExternalAgent, step: PromptStep) -> None:
        self._live = live
        self._agent = agent
        self._step = step
        self._run = os.urandom(4).hex()

    async def reply(self, prompt: str) -> str:
        """What it writes to standard output. Failed where it fails, takes too long or says too much."""
        self._begin(prompt)
        began = time.monotonic()
        outcome, error, reply = Outcome.FAILED, "", ""
        try:
            reply = await self._perform(prompt)
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

    async def _perform(self, prompt: str) -> str:
        root, step = self._live.root, self._step
        script = Script(self._agent.argv, timeout=self._agent.timeout, env=self._agent.env)
        world = World(root, root, self._live.emit, self._run, {})
        here = Here(world, "workflow", step.address, step.address.rpartition("/")[2], step.index, step.total)
        with ScriptActor(self._live.door, root, Spool(root), output_limit=OUTPUT_LIMIT) as actor:
            try:
                output = await actor.perform(script, Small(prompt.encode()), here)
            except StepFailed as failed:
                raise Failed(f"{shlex.join(self._agent.argv)}: {failed.reason}") from None
        return plain(output.read(OUTPUT_LIMIT))[:MOST_SAID]

    def _begin(self, prompt: str) -> None:
        self._live.emit(
            RunStarted(
                run=self._run,
                time=time.time(),
                kind="agent",
                input=prompt,
                workspace=self._live.chat.workspace,
                name=shlex.join(self._agent.argv),
                step=self._step,
            )
        )

    def _finish(self, outcome: Outcome, error: str, reply: str, seconds: float) -> None:
        now, command = time.time(), shlex.join(self._agent.argv)
        code = 0 if outcome is Outcome.PASSED else None
        self._live.emit(
            ProcessFinished(
                run=self._run, time=now, command=command, exit_code=code, output=reply, seconds=seconds, problem=error
            )
        )
        self._live.emit(
            RunFinished(
                run=self._run,
                time=now,
                outcome=outcome.value,
                exit_code=outcome.exit_code,
                text=reply,
                error=error,
                totals=Totals(seconds=seconds),
                running=self._live.ledger.running,
            )
        )
