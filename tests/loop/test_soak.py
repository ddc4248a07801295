"""A hundred iterations with a model that keeps failing: the loop finishes, memory stays flat, nothing said is lost."""

import gc
import tracemalloc
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

import onbook
from onbook.cli.production import open_production
from onbook.cli.stage import Stage
from onbook.commands.dispatch import Manner, carry_out
from onbook.config.load import load_settings
from onbook.events import AnyEvent, RunFinished
from onbook.loop.plan import plan_of
from onbook.loop.runner import run_loop
from onbook.outcome import Outcome
from onbook.session.live import Live
from onbook.transcript.history import load
from tests.scripted import Cut, ErrorInStream, Garbage, Reply, ScriptedServer, Status

SAID = "So it is, and so it was an hour ago."
FAULTS = (
    Status(400, {"error": {"message": "no"}}),
    Cut(after_chunks=2),
    Status(503, headers={"retry-after": "0"}),
    Garbage(),
    ErrorInStream({"error": {"message": "out of luck"}}),
    Cut(after_chunks=1, reset=True),
)
WARM, COUNT = 40, 100
A_TURN = 2_000
"""Bytes that a turn may leave behind: it stays in the history, with its question."""


@pytest.fixture
def outcomes() -> list[str]:
    """How each iteration ended."""
    return []


@pytest_asyncio.fixture
async def watched(
    workspace: Path, environment: dict[str, str], scripted_model: ScriptedServer, outcomes: list[str]
) -> AsyncIterator[Live]:
    """A session whose events nobody keeps; every other answer of its model is a fault."""
    for number in range(COUNT):
        scripted_model.replies(Reply(SAID), FAULTS[number % len(FAULTS)])

    def watch(event: AnyEvent) -> None:
        if isinstance(event, RunFinished) and event.finish_reason != "count":
            outcomes.append(event.outcome)

    loaded = load_settings(workspace, environ=environment, is_trusted=lambda *_: True)
    async with open_production(Stage(workspace, loaded, environment), watch, model=None) as production:
        yield production.live


async def test_a_hundred_iterations_with_faults(watched: Live, outcomes: list[str]) -> None:
    memory: list[int] = []
    do = partial(carry_out, watched, manner=Manner(triggers=False))

    async def no_time(_: float) -> None:
        if len(outcomes) == WARM:
            tracemalloc.start()
        if len(outcomes) == COUNT - 1:
            memory.append(_kept())

    try:
        ended = await run_loop(watched, plan_of(f"1s --count {COUNT} Is it so?"), "/loop …", do, no_time)
    finally:
        tracemalloc.stop()
    assert ended is Outcome.PASSED
    assert len(outcomes) == COUNT
    assert outcomes.count("passed") >= COUNT // 2
    assert "model_failed" in outcomes
    assert watched.record.path is not None
    turns = load(watched.record.path).turns
    assert [turn.outcome for turn in turns] == outcomes
    assert {turn.reply for turn in turns if turn.outcome == "passed"} == {SAID}
    assert memory[0] < (COUNT - WARM) * A_TURN


def _kept() -> int:
    """Bytes that our own code has taken since and not given back; the server in this process keeps every request."""
    ours = tracemalloc.Filter(inclusive=True, filename_pattern=f"{Path(onbook.__file__).parent}/*")
    gc.collect()
    found = tracemalloc.take_snapshot().filter_traces([ours])
    return sum(each.size for each in found.statistics("filename"))
