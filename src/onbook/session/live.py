"""One session while it lasts: the parts that turns and commands work with, each the owner of its own state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from onbook.config.settings import Settings
from onbook.events import Sink
from onbook.policy.door import Door
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.pending import Pending
from onbook.session.turn import Chat

LogLevel = Literal["none", "info", "debug"]


class Record(Protocol):
    """The transcript, as far as a session's commands may direct it."""

    @property
    def path(self) -> Path | None:
        """The file; None when nothing is recorded."""
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
    emit: Sink
    """Redacted, recorded, shown: the only way out."""
    door: Door
    choice: ModelChoice
    chat: Chat
    record: Record
    pending: Pending = field(default_factory=Pending)
    ledger: Ledger = field(default_factory=Ledger)
    log: Log = field(default_factory=Log)
    exit: Exit = field(default_factory=Exit)
