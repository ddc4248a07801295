"""Everything a conversation needs, put together: model, history, sinks, transcript. Taken apart again at the end."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from onbook.cli.parts import first_role, note, open_door, open_ledger, wanted_model
from onbook.cli.recording import NoRecord, Recording, open_recording
from onbook.cli.stage import Stage
from onbook.config.budget_settings import BudgetSettings
from onbook.events import Sink
from onbook.models.resolver import Resolved, Resolver
from onbook.outcome import Outcome
from onbook.policy.door import Door
from onbook.policy.redaction import RedactingSink
from onbook.session.beginning import begin
from onbook.session.choice import ModelChoice
from onbook.session.conversation import Conversation, spoken
from onbook.session.instructions import instruction_of
from onbook.session.live import Live
from onbook.session.mcp.servers import McpServers, open_mcp
from onbook.session.outlet import Outlet
from onbook.session.tools.builtin import builtin_tools
from onbook.session.tools.toolbox import Toolbox
from onbook.session.turn import Chat
from onbook.transcript.history import Session, load
from onbook.transcript.sessions import find_session
from onbook.words import counted
from onbook.workspace.root import sessions_path


@dataclass(frozen=True)
class Production:
    """A conversation that is ready to begin."""

    live: Live
    recording: Recording | None

    def verdict(self, outcome: Outcome) -> Outcome:
        """The outcome, unless it was good and its record could not be kept."""
        if self.recording is not None and self.recording.failed and outcome is Outcome.PASSED:
            return Outcome.FAILED
        return outcome


@asynccontextmanager
async def open_production(
    stage: Stage,
    view: Sink,
    *,
    model: str | None,
    system: str | None = None,
    session: str | None = None,
    record: bool = True,
    options: Mapping[str, Any] | None = None,
    allow: frozenset[str] = frozenset(),
    budget: BudgetSettings | None = None,
    door: Door | None = None,
    choose: bool = True,
    goes_on: bool = True,
    keeps_more: bool = False,
) -> AsyncIterator[Production]:
    """Find the instruction, load the history, open the door and the transcript; close it all afterwards.

    With `choose` the model is chosen at once, and its absence is an error here; otherwise when it is needed. `budget`
    goes over the settings' limits; `door` is for a command that needed one before all this; `goes_on` is False where
    a single line is carried out; `keeps_more` is for what cannot work without a folder of its own in the workspace.
    """
    show = RedactingSink(view)
    for notice in stage.loaded.notices:
        show(note(notice, "warning"))
    door = door or open_door(stage, view, allow)
    instruction = await instruction_of(door, system)
    earlier = load(find_session(sessions_path(stage.root), session)) if session is not None else None
    conversation = Conversation(instruction, spoken(earlier.turns) if earlier else [])
    resolver = Resolver(
        stage.settings,
        stage.environ,
        stage.model_origin,
        announce=lambda retrying: show(note(retrying.sentence, "warning")),
        unchosen=stage.unchosen_route,
    )
    role = first_role(stage)
    choice = ModelChoice(resolver, *wanted_model(model, role), lambda chosen: show(note(_announced(chosen))))
    async with AsyncExitStack() as opened:
        opened.push_async_callback(resolver.aclose)
        if choose:
            await choice.current()
        recording = open_recording(stage, view, _growing(earlier), keeps_more=keeps_more) if record else None
        if recording is not None:
            opened.callback(recording.close)
        if earlier is not None:
            _announce(earlier, show)
        sink = Outlet(RedactingSink(recording) if recording else show)
        chat = _chat(stage, conversation, choice, sink, door, options or {}, budget)
        servers = await opened.enter_async_context(_servers(stage, door, chat.toolbox, show))
        kept = recording or NoRecord()
        places = stage.root, stage.settings, stage.environ
        live = Live(*places, sink, door, chat, kept, servers, goes_on=goes_on, config=stage.config)
        opened.callback(live.journal.let_go)
        await begin(live, role)
        yield Production(live, recording)


def _chat(
    stage: Stage,
    conversation: Conversation,
    choice: ModelChoice,
    sink: Sink,
    door: Door,
    options: Mapping[str, Any],
    budget: BudgetSettings | None,
) -> Chat:
    """The turns of the conversation, with the tools and the limits of the settings."""
    settings = stage.settings
    toolbox = Toolbox(builtin_tools(door) if settings.tools.enabled else ())
    ledger = open_ledger(stage, budget)
    root = _as_text(stage.root)
    return Chat(conversation, choice, sink, settings.agent_name, root, options, toolbox, ledger, settings.tools.rounds)


def _servers(stage: Stage, door: Door, toolbox: Toolbox, show: Sink) -> AbstractAsyncContextManager[McpServers]:
    """The MCP servers of the settings, unless these want no tools at all."""
    configured = stage.settings.mcp if stage.settings.tools.enabled else ()
    say = lambda text: show(note(text, "warning"))  # noqa: E731 - the shape that a sink gives it
    return open_mcp(configured, door, toolbox, say, stage.environ, stage.loaded.origins)


def _announce(session: Session, show: Sink) -> None:
    """Which session goes on, now that nothing stands in its way."""
    if session.torn:
        show(note(f"{session.path.name} was cut off in the middle of a turn; that turn is left out", "warning"))
    turns = counted(len(spoken(session.turns)), "turn")
    elsewhere = "" if session.appendable else "; it stays as it is, what follows is a session of its own"
    show(note(f"continuing {session.path.stem} after {turns}{elsewhere}"))


def _growing(session: Session | None) -> Path | None:
    """The file that the session goes on in, if it goes on in its own."""
    return session.path if session is not None and session.appendable else None


def _announced(chosen: Resolved) -> str:
    whence = chosen.why if chosen.name == chosen.model else f"route {chosen.name}, {chosen.why}"
    return f"model: {chosen.model} ({whence})"


def _as_text(path: Path) -> str:
    """The path as text that JSON and a transcript can hold, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
