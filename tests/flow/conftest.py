"""Flows of real scripts in a real workspace, with every event kept."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from onbook.config.policy_settings import PolicySettings
from onbook.events import AnyEvent, Event, Note, StepFinished, StepStarted
from onbook.flow.data import Data, Small
from onbook.flow.engine import Result, run_flow
from onbook.flow.script_actor import ScriptActor
from onbook.flow.spool import Spool
from onbook.flow.steps import Flow, Once, Script, Step
from onbook.flow.world import StepFailed, World
from onbook.policy.audit import Audit
from onbook.policy.door import Door

E = TypeVar("E", bound=Event)


@dataclass
class Theatre:
    """A workspace in which flows are run, one after the other."""

    root: Path
    door: Door
    actor: ScriptActor
    spool: Spool
    events: list[AnyEvent] = field(default_factory=list)

    def script(self, name: str, text: str, mode: int = 0o755) -> str:
        """A script of the workspace; its path, as a pipeline names it."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return f"./{name}"

    async def run(
        self, *steps: Step, given: bytes | Data = b"", role: str = "", allow_empty: bool = False, journal: Any = None
    ) -> Result:
        flow = Flow("play", "pipeline", steps, allow_empty)
        data = Small(given) if isinstance(given, bytes) else given
        world = World(self.root, self.root, self.events.append, "run", {Script: self.actor}, journal, role)
        return await run_flow(flow, data, world)

    async def output(self, *steps: Step, given: bytes | Data = b"", **options: Any) -> bytes:
        result = await self.run(*steps, given=given, **options)
        assert result.error is None, result.error
        assert result.output is not None
        return result.output.read()

    async def failure(self, *steps: Step, given: bytes = b"", **options: Any) -> StepFailed:
        result = await self.run(*steps, given=given, **options)
        assert isinstance(result.error, StepFailed)
        assert result.output is None
        return result.error

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def started(self) -> list[str]:
        """The addresses, in the order in which they began."""
        return [event.address for event in self.of(StepStarted)]

    @property
    def finished(self) -> dict[str, StepFinished]:
        return {event.address: event for event in self.of(StepFinished)}

    @property
    def warnings(self) -> list[str]:
        return [note.text for note in self.of(Note) if note.level == "warning"]

    @property
    def left_files(self) -> list[str]:
        """What lies in the folder for temporary files."""
        return os.listdir(self.root / ".onbook" / "tmp")


@pytest.fixture
def theatre(workspace: Path, tmp_path: Path) -> Iterator[Theatre]:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OPENAI_API_KEY": "swordfish-swordfish"}
    door = Door(workspace, PolicySettings(sandbox="off"), audit=Audit(workspace, tmp_path / "state"), environ=environ)
    spool = Spool(workspace)
    with ScriptActor(door, workspace, spool) as actor:
        yield Theatre(workspace, door, actor, spool)


def sh(line: str, name: str = "step", **options: Any) -> Once:
    """A step that runs a line of shell."""
    return Once(name, Script((line,), shell=True, **options))


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def open_descriptors() -> int:
    """How many files this process holds that are no pipes, sockets or the like."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            found += stat.S_ISREG(os.stat(f"/proc/self/fd/{name}").st_mode)
        except OSError:
            pass
    return found
