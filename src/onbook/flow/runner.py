"""Flows of a workspace, run and recorded: the one place where engine, scripts and journal come together."""

import os
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from onbook.events import Note, Sink
from onbook.flow.data import Data, from_journal
from onbook.flow.engine import Result, run_flow
from onbook.flow.reaper import end_leftovers
from onbook.flow.script_actor import ScriptActor
from onbook.flow.spool import Spool
from onbook.flow.steps import Flow, Script
from onbook.flow.world import Actor, World
from onbook.journal.held import Held
from onbook.journal.journal import Start, new_id
from onbook.journal.keys import definition_digest
from onbook.journal.recording import new_run
from onbook.journal.run import RunJournal
from onbook.outcome import Outcome
from onbook.policy.door import Door


@dataclass(frozen=True)
class Runner:
    """Where flows run: a workspace behind its door, and who is told of it."""

    root: Path
    """Where scripts run, and what their paths are relative to."""
    door: Door
    emit: Sink
    """Takes events that may still have keys in them away, as `RedactingSink` does."""
    environ: Mapping[str, str]
    role: str = ""
    """What scripts are told; empty without a role."""
    actors: Mapping[type, Actor] = field(default_factory=dict)
    """Who performs besides scripts."""
    resumed_by: str = ""
    """What a person types before a run's id to go on with it, as `onbook runs resume`; empty where nobody should."""
    told: str = ""
    """What a person typed to start it, where that says more than the input."""
    held: Held | None = None
    """Keeps the journal open for the next run, where one may follow."""

    async def run(self, flow: Flow, given: Data, *, record: bool, config: str = "", call: str = "") -> Result:
        """A run of its own; with `record` it can be resumed. `config` is the foreign file that defines it, if any;
        `call` is how to make the flow again that no settings define."""
        with ExitStack() as stack:
            journal = None
            if record:
                start = Start(
                    kind=flow.kind,
                    name=flow.name,
                    definition=definition_digest(flow).hex(),
                    steps=len(flow.steps),
                    role=self.role,
                    config=config,
                    call=call,
                )
                run = new_id()
                self.door.begun.add(run)  # first: after a kill in between, the run is not there to be gone on with
                journal = stack.enter_context(new_run(self.root, start, given, self._warn, run))
            return await self._perform(flow, given, journal)

    async def resume(self, flow: Flow, journal: RunJournal) -> Result:
        """Go on with a recorded run: what has passed already and is as it was, is taken from the journal."""
        await end_leftovers(journal.id)
        return await self._perform(flow, from_journal(journal.given), journal)

    async def _perform(self, flow: Flow, given: Data, journal: RunJournal | None) -> Result:
        if journal is not None and self.held is not None:
            self.held.hold(self.root)
        with ScriptActor(self.door, self.root, Spool(self.root)) as scripts:
            run = journal.id if journal is not None else os.urandom(4).hex()
            actors = {**self.actors, Script: scripts}
            world = World(self.root, self.root, self.emit, run, actors, journal, self.role, self.environ, self.told)
            can_go_on = True
            try:
                result = await run_flow(flow, given, world)
                can_go_on = result.outcome not in (Outcome.PASSED, Outcome.USAGE)  # which must be called another way
            finally:
                if journal is not None and self.resumed_by and can_go_on and self.door.begun.covers(run):
                    self._say(f"{self.resumed_by} {run} goes on from here", run, "info")
            return result

    def _warn(self, line: str) -> None:
        self._say(line, "", "warning")

    def _say(self, line: str, run: str, level: str) -> None:
        self.emit(Note(run=run, time=time.time(), text=line, level=level))
