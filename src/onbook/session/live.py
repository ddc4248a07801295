"""One session while it lasts: the parts that turns and commands work with, each the owner of its own state."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from onbook.config.settings import Settings
from onbook.events import Note
from onbook.journal.held import Held
from onbook.policy.door import Door
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.mcp.servers import McpServers
from onbook.session.memory.store import Memory
from onbook.session.outlet import Outlet
from onbook.session.pending import Pending
from onbook.session.progress import Progress
from onbook.session.roles import Part
from onbook.session.skills.skills import Skills
from onbook.session.tools.toolbox import Toolbox
from onbook.session.turn import Chat

LogLevel = Literal["none", "info", "debug"]


class Record(Protocol):
    """The transcript, as far as a session's commands may direct it."""

    @property
    def path(self) -> Path | None:
        """The file; None when nothing is recorded."""
        ...

    @property
    def paused(self) -> bool:
        """Whether what happens now is left out."""
        ...

    def pause(self) -> None:
        """Leave out what happens from now on."""
        ...

    def resume(self) -> None:
        """Record again."""
        ...

    def follow(self, session: Path) -> None:
        """Go on in the file of another session; where that cannot be, this one stays open."""
        ...


class Log:
    """How much is said beside the answers."""

    def __init__(self, level: LogLevel = "info") -> None:
        self.level: LogLevel = level


class Exit:
    """Whether somebody asked to leave."""

    def __init__(self) -> None:
        self.asked = False


@dataclass(frozen=True)
class Live:
    """The session. Nothing here is replaced while it lasts; what changes, changes inside its owner."""

    root: Path
    settings: Settings
    environ: Mapping[str, str]
    emit: Outlet
    """Redacted, recorded, shown: the only way out."""
    door: Door
    chat: Chat
    record: Record
    mcp: McpServers
    pending: Pending = field(default_factory=Pending)
    log: Log = field(default_factory=Log)
    exit: Exit = field(default_factory=Exit)
    part: Part = field(default_factory=Part)
    journal: Held = field(default_factory=Held)
    progress: Progress = field(default_factory=Progress)
    goes_on: bool = True
    """Whether another line can follow the one that is carried out; `onbook ask` has only one."""
    config: str = ""
    """The file of another program that `--config` named; runs remember it, so that they can be resumed."""

    @property
    def choice(self) -> ModelChoice:
        """Which model answers."""
        return self.chat.choice

    @property
    def ledger(self) -> Ledger:
        """What was spent, and what may be."""
        return self.chat.ledger

    @property
    def toolbox(self) -> Toolbox:
        """What the model can do besides talking."""
        return self.chat.toolbox

    @cached_property
    def skills(self) -> Skills:
        """Instructions for certain tasks, which narrow what this session's model may use."""
        return Skills(self.door, self.chat.toolbox, self.chat.conversation, self.environ, self.note)

    @cached_property
    def memory(self) -> Memory:
        """What is remembered of this workspace."""
        return Memory(self.root)

    def note(self, text: str, level: str = "info") -> None:
        """Something that a person should know and that belongs to no run."""
        self.emit(Note(run="", time=time.time(), text=text, level=level))
