"""onbook: a turn after so many others, a loop of so many iterations, a transcript of so many turns.

`grown_talk WHAT WORKSPACE` reads sizes and prints the CPU seconds that each costs.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import islice
from pathlib import Path

import msgspec

from benchmarks.material import turns
from onbook.cli.production import Production, open_production
from onbook.cli.stage import open_stage
from onbook.commands.dispatch import Manner, carry_out
from onbook.events import AnyEvent
from onbook.loop.plan import plan_of
from onbook.loop.runner import run_loop
from onbook.outcome import Outcome
from onbook.session.attachments import Prompt
from onbook.session.conversation import Conversation
from onbook.transcript.history import load
from onbook.transcript.recorder import Cast, Recorder

Work = Callable[[int], Awaitable[float]]
TURNS = 3
"""In a sample, so that a small one is not too short for the clock."""
LINE = "1s !true"


async def main(what: str, workspace: Path) -> None:
    async with open_production(open_stage(workspace), _show_nobody, model=None, choose=what == "history") as production:
        works: dict[str, Work] = {
            "history": partial(_turn, production),
            "loop": partial(_loop, production),
            "record": partial(_record, workspace),
            "load": partial(_load, workspace),
        }
        for line in sys.stdin:
            print(await works[what](int(line)), flush=True)


async def _turn(production: Production, size: int) -> float:
    """One more turn after `size` others, all of which are sent again."""
    chat = production.live.chat
    history = [("How does the recorder begin a file?", "With a title page, and then a heading. " * 3)] * size
    seconds = 0.0
    for _ in range(TURNS):
        chat.conversation = Conversation(turns=history)
        began = time.process_time()
        outcome = (await chat.turn(Prompt("Say hello"))).outcome
        seconds += time.process_time() - began
        if outcome is not Outcome.PASSED:
            raise RuntimeError(f"the turn ended as {outcome}")
    return seconds / TURNS


async def _loop(production: Production, size: int) -> float:
    """A `/loop` that does not wait. A person may ask for a hundred iterations; here it may be more."""
    live = production.live
    plan = msgspec.structs.replace(plan_of(LINE), count=size)
    began = time.process_time()
    outcome = await run_loop(
        live, plan, f"/loop {LINE}", partial(carry_out, live, manner=Manner(triggers=False)), _no_wait
    )
    if outcome is not Outcome.PASSED:
        raise RuntimeError(f"the loop ended as {outcome}")
    return time.process_time() - began


async def _record(workspace: Path, size: int) -> float:
    material = list(islice(turns(), size))
    with Recorder.create(workspace / "sessions", Cast(agent="Harvey", user="ada")) as recorder:
        began = time.process_time()
        for turn in material:
            recorder.record(turn)
        return time.process_time() - began


async def _load(workspace: Path, size: int) -> float:
    path = workspace / f"{size}.fountain"
    if not path.exists():
        with Recorder.create(workspace / "sessions", Cast(agent="Harvey", user="ada")) as recorder:
            for turn in islice(turns(), size):
                recorder.record(turn)
        recorder.path.rename(path)
    began = time.process_time()
    found = len(load(path).turns)
    seconds = time.process_time() - began
    if found != size:
        raise RuntimeError(f"{found} turns of {size} were found")
    return seconds


async def _no_wait(_: float) -> None:
    """Time that passes at once."""


def _show_nobody(event: AnyEvent) -> None:
    """What a screen costs depends on the screen."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
