"""Nobody looks while a loop runs: what would be asked is asked before it, and not again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from onbook.flow.of_role import first_flows
from onbook.flow.self_starting import ask_to_start
from onbook.policy.answers import Answer, Asker
from onbook.policy.effects import Effect
from onbook.policy.grants import scope_of
from onbook.policy.undo import Change
from onbook.session.live import Live


@asynccontextmanager
async def nobody_asked(live: Live, *, talks: bool) -> AsyncIterator[None]:
    """Inside, what a model asks for is refused unless settings or earlier answers allow it. Before that, whoever is
    there says whether the flows that a first message goes through may start; a `once` counts for the loop."""
    door = live.door
    before = door.asker
    asked = _AskedBefore(before) if before is not None else None
    door.asker = asked
    try:
        for flow in first_flows(live) if talks else ():
            await ask_to_start(flow, door)
        door.asker = None
        yield
    finally:
        door.asker = before
        for scope in asked.only_for_the_loop if asked else ():
            door.answers.forget(scope)


@dataclass
class _AskedBefore:
    """Asks, and remembers which answers end with the loop."""

    inner: Asker
    only_for_the_loop: list[str] = field(default_factory=list)

    async def ask(self, effect: Effect, reason: str, change: Change | None = None) -> Answer:
        answer = await self.inner.ask(effect, reason, change)
        if answer != "once":
            return answer
        self.only_for_the_loop.append(scope_of(effect))
        return "session"
