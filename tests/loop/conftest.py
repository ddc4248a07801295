"""A loop in a real session, with a clock that only the loop itself moves on."""

from dataclasses import dataclass, field
from functools import partial

import pytest

from onbook.commands.dispatch import Manner, carry_out
from onbook.events import Note, RunFinished, RunStarted
from onbook.loop.plan import plan_of
from onbook.loop.runner import run_loop
from onbook.outcome import Outcome
from tests.commands.conftest import Typed
from tests.commands.conftest import live as live
from tests.commands.conftest import typed as typed


@dataclass
class Clock:
    """Time that passes only by sleeping."""

    now: float = 0.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


@dataclass
class Looped:
    """`await looped("5m --count 3 hello")` is `/loop 5m --count 3 hello`, without the waiting."""

    typed: Typed
    clock: Clock = field(default_factory=Clock)

    async def __call__(self, text: str) -> Outcome:
        live, plan = self.typed.live, plan_of(text)
        do = partial(carry_out, live, manner=Manner(triggers=False, confidence=plan.until_confidence))
        return await run_loop(live, plan, f"/loop {text}", do, self.clock.sleep)

    @property
    def run(self) -> str:
        """The loop's own run."""
        return next(event.run for event in self.typed.seen.of(RunStarted) if event.kind == "loop")

    @property
    def said(self) -> list[str]:
        """What the loop itself says."""
        return [note.text for note in self.typed.seen.of(Note) if note.run == self.run]

    @property
    def outputs(self) -> list[str]:
        """What each iteration said, as far as it was shown."""
        return [event.text for event in self.typed.seen.of(RunFinished) if event.run != self.run]


@pytest.fixture
def looped(typed: Typed) -> Looped:
    return Looped(typed)
