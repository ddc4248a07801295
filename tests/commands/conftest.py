"""A real session to type into: settings, door, transcript and a scripted model, with every event remembered.

async def test_…(typed: Typed, scripted_model: ScriptedServer) -> None:
    assert await typed("/help") is Outcome.PASSED
    assert "…" in typed.text           # what the last line said; also .error, .notes, .events, .live
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest_asyncio

from onbook.cli.production import open_production
from onbook.cli.stage import Stage
from onbook.commands.completion import complete
from onbook.commands.dispatch import carry_out
from onbook.config.load import load_settings
from onbook.events import Note, RunFinished
from onbook.outcome import Outcome
from onbook.session.live import Live
from tests.scripted import ScriptedServer
from tests.session.conftest import Events


@dataclass
class Typed:
    """`await typed("/read notes.md")` carries the line out, as if somebody had typed it."""

    live: Live
    seen: Events
    events: Events = field(default_factory=Events)
    """What the last line led to."""

    async def __call__(self, line: str) -> Outcome:
        before = len(self.seen.seen)
        try:
            return await carry_out(self.live, line)
        finally:
            self.events = Events(self.seen.seen[before:])

    @property
    def text(self) -> str:
        return self.events.of(RunFinished)[-1].text

    @property
    def error(self) -> str:
        return self.events.of(RunFinished)[-1].error

    @property
    def notes(self) -> list[str]:
        return [note.text for note in self.events.of(Note)]

    async def offered(self, text: str) -> list[str]:
        """What completion offers after this text."""
        import asyncio

        return [each.text for each in await asyncio.to_thread(complete, self.live, text)]


@pytest_asyncio.fixture
async def typed(workspace: Path, environment: dict[str, str], scripted_model: ScriptedServer) -> AsyncIterator[Typed]:
    """A session of a workspace, answered by the scripted model. Put settings into place before it, with
    `user_settings` or `workspace / "onbook.toml"`, in a fixture of your own that this one then finds."""
    loaded = load_settings(workspace, environ=environment, is_trusted=lambda *_: True)
    seen = Events()
    stage = Stage(workspace, loaded, environment)
    async with open_production(stage, seen, model=None) as production:
        yield Typed(production.live, seen)


@pytest_asyncio.fixture
async def live(typed: Typed) -> Live:
    """The session itself."""
    return typed.live
