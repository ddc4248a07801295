"""One try of an agent that is a model: a conversation of its own, with its own tools, bounded in time and length."""

import asyncio
from dataclasses import dataclass, field

from onbook.events import AnyEvent, PromptStep, ReasoningDelta, Sink, TextDelta
from onbook.models.resolver import Resolved
from onbook.outcome import OnbookError, Outcome
from onbook.session.attachments import Prompt
from onbook.session.conversation import Conversation
from onbook.session.live import Live
from onbook.session.tools.tool import Tool
from onbook.session.tools.toolbox import Toolbox
from onbook.session.turn import Chat, Ended, NothingSaid

SECONDS = 3600.0
"""How long a try may take, tools and all; a model that falls silent is noticed much earlier."""
MOST_SAID = 400_000
"""Characters of a try: about as much as the largest models write at once."""
_MAKER_ROUNDS = 4
"""So many times the rounds of tools of a chat, for whoever changes a whole repository."""


class Failed(OnbookError):
    """A try that came to nothing, for a reason that another try may not meet."""

    outcome = Outcome.MODEL_FAILED


@dataclass(frozen=True)
class Talk:
    """A model on an errand."""

    live: Live
    model: Resolved
    tools: tuple[Tool, ...]
    step: PromptStep
    is_maker: bool = False
    only: frozenset[str] | None = None
    """The tools that skills leave it; None leaves all."""
    seconds: float = SECONDS
    most_said: int = MOST_SAID
    chat: Chat = field(init=False)

    def __post_init__(self) -> None:
        own = self.live.chat
        toolbox = Toolbox(self.tools if self.live.settings.tools.enabled else ())
        toolbox.only = self.only
        options = {name: value for name, value in own.options.items() if name != "schema"}
        rounds = own.rounds * (_MAKER_ROUNDS if self.is_maker else 1)
        chat = Chat(
            Conversation(),
            own.choice,
            _Listening(self.live.emit, self.most_said),
            own.agent,
            own.workspace,
            options,
            toolbox,
            own.ledger,
            rounds,
            "agent",
            self.step,
        )
        object.__setattr__(self, "chat", chat)

    @property
    def has_tools(self) -> bool:
        """Whether the model is offered any; a model may turn them down while it is asked."""
        return bool(self.chat.offered(self.model))

    async def reply(self, prompt: str) -> str:
        """What it says last; empty when it only used its tools. Failed where it took too long or said too much."""
        scope = asyncio.timeout(self.seconds)
        try:
            async with scope:
                return _said(await self.chat.turn(Prompt(prompt), self.model))
        except TimeoutError:
            if not scope.expired():
                raise
            raise Failed(f"not finished within {self.seconds:g} s") from None


def _said(ended: Ended) -> str:
    if ended.error is not None and not isinstance(ended.error, NothingSaid):
        raise ended.error
    return ended.text


class _Listening:
    """A sink that stops whoever does not stop talking."""

    def __init__(self, emit: Sink, most: int) -> None:
        self._emit = emit
        self._room = most
        self._most = most

    def __call__(self, event: AnyEvent) -> None:
        if isinstance(event, TextDelta | ReasoningDelta):
            self._room -= len(event.text)
            if self._room < 0:
                raise Failed(f"stopped after {self._most:,} characters")
        self._emit(event)
