"""A conversation in this process, with a scripted server at its other end and every event kept."""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio

from onbook.config.policy_settings import PolicySettings
from onbook.config.settings import Route, Settings
from onbook.events import AnyEvent, Event
from onbook.models.backend import Backend
from onbook.models.resolver import Resolved, Resolver
from onbook.models.routes import backend_of
from onbook.policy.audit import Audit
from onbook.policy.door import Asker, Door
from onbook.session.budget import Ledger
from onbook.session.choice import ModelChoice
from onbook.session.conversation import Conversation
from onbook.session.tools.tool import Tool
from onbook.session.tools.toolbox import Toolbox
from onbook.session.turn import ROUNDS, Chat
from tests.scripted import ScriptedServer

E = TypeVar("E", bound=Event)


@dataclass
class Events:
    """A sink that remembers."""

    seen: list[AnyEvent] = field(default_factory=list)

    def __call__(self, event: AnyEvent) -> None:
        self.seen.append(event)

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.seen if isinstance(event, kind)]

    def one(self, kind: type[E]) -> E:
        (event,) = self.of(kind)
        return event


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def events() -> Events:
    return Events()


MakeChat = Callable[..., Chat]


def chosen(model: Resolved) -> ModelChoice:
    """A choice that was made already."""
    choice = ModelChoice(Resolver(Settings(), {}))
    choice.become(model)
    return choice


@pytest_asyncio.fixture
async def make_chat(server: ScriptedServer, events: Events) -> AsyncIterator[MakeChat]:
    """Chats with the server, by any of its protocols."""
    opened: list[Backend] = []

    def make(
        url: str | None = None,
        *,
        window: int | None = None,
        tools: Iterable[Tool] = (),
        ledger: Ledger | None = None,
        rounds: int = ROUNDS,
        **options: Any,
    ) -> Chat:
        backend = backend_of(Route("scripted", url or server.openai_url), {})
        opened.append(backend)
        resolved = Resolved(backend, "llama3:latest", "scripted", "a test", window)
        choice = chosen(resolved)
        toolbox = Toolbox(tools)
        return Chat(Conversation(), choice, events, "Harvey", "/w", options, toolbox, ledger or Ledger(), rounds)

    yield make
    for backend in opened:
        await backend.aclose()


MakeDoor = Callable[..., Door]


@pytest.fixture
def make_door(workspace: Path, tmp_path: Path) -> MakeDoor:
    """Doors of the workspace; keywords are settings of its policy."""

    def make(*allow: str, asker: Asker | None = None, **rules: Any) -> Door:
        settings = PolicySettings(**{"sandbox": "off", **rules})
        audit = Audit(workspace, tmp_path / "state")
        return Door(workspace, settings, audit=audit, asker=asker, allow=frozenset(allow), environ=os.environ)

    return make
