"""Stopping a loop: over at once, whatever the program that it runs thinks of it."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from onbook.events import Note, StepFinished, TextDelta
from onbook.loop.at_once import over_at_once
from tests.loop.conftest import Looped

AT_ONCE = 0.2
DEAF = "trap '' TERM INT HUP; echo $$; while :; do sleep 27; done"


async def test_a_program_that_ignores_being_told_is_killed(looped: Looped, workspace: Path) -> None:
    (workspace / "deaf.sh").write_text(DEAF)
    seen = looped.typed.seen
    looping = asyncio.ensure_future(looped("1h /run sh deaf.sh"))
    while not seen.of(TextDelta):
        await asyncio.sleep(0.01)
    pid = int(seen.of(TextDelta)[0].text)
    began = time.monotonic()
    looping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looping
    assert time.monotonic() - began < AT_ONCE * (1 + os.getloadavg()[0] / (os.cpu_count() or 1))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [step.outcome for step in seen.of(StepFinished)] == ["cancelled"]
    assert seen.of(Note)[-1].text == "Cancelled. Loop stopped after 0/10 iteration(s)."


async def test_somebody_without_patience_is_heard() -> None:
    told: list[str] = []

    async def reluctant() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            told.append("stop")
            await asyncio.sleep(0)
            stopping.cancel()
            await asyncio.sleep(60)

    began = time.monotonic()
    stopping = asyncio.ensure_future(over_at_once(reluctant()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    stopping.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopping
    assert told == ["stop"]
    assert time.monotonic() - began < 5


async def test_what_goes_wrong_is_raised_as_it_is() -> None:
    async def wrong() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await over_at_once(wrong())
