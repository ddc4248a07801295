"""Every runner, ended by a signal at a random instant: its records are whole, it leaves nobody behind, and it goes on.

Among the ordinary tests it is one instant a runner and signal; `ONBOOK_FAULTS=1` tries as many as `SIGNALS` says.
"""

import random
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.faults.kills import stepping, talking, writing
from tests.faults.kills.model import script_model
from tests.faults.kills.play import Play
from tests.faults.kills.theatre import Fate, Stage, check_end, count, stages
from tests.faults.ledger import LONG, Ledger, many
from tests.scripted import ScriptedServer

pytestmark = [
    pytest.mark.timeout(900 if LONG else 120),
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find what is left behind"),
]
AT_TERMINAL = 1.2
"""Seconds in which all that is typed there is said and answered."""
SIGNALS = {signal.SIGKILL: 30, signal.SIGTERM: 20, signal.SIGHUP: 5, signal.SIGINT: 5}
"""How often each is sent in the long form."""


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        script_model(server)
        yield server


@pytest.mark.parametrize("number", SIGNALS if LONG else [signal.SIGKILL, signal.SIGTERM], ids=lambda each: each.name)
@pytest.mark.parametrize("play", [*talking.PLAYS, *stepping.PLAYS, *writing.PLAYS], ids=str)
def test_a_runner_that_is_ended_at_a_random_instant_goes_on(
    play: Play, number: signal.Signals, server: ScriptedServer, ledger: Ledger, tmp_path: Path
) -> None:
    if play.typed and number == signal.SIGINT:
        pytest.skip("Ctrl-C at a terminal stops what runs, and the session goes on")
    chance = random.Random() if LONG else random.Random(play.name)
    coming = stages(tmp_path, server)
    wanted, seconds = _comes_to(play, next(coming))
    if LONG:
        seconds = _lasts(play, next(coming))
    struck = 0
    for stage in coming:
        fate = Fate(number, chance.uniform(0, seconds))
        struck += count(ledger, play.name, fate, partial(_survives, play, stage, fate, wanted))
        if struck >= many(1, SIGNALS[number] // play.slowness):
            break


def _comes_to(play: Play, stage: Stage) -> tuple[object, float]:
    """What there is in the end when nobody was ended before, and about how long it takes."""
    play.set_stage(stage)
    began = time.monotonic()
    wanted = play.go_on(stage)
    return wanted, AT_TERMINAL if play.typed else time.monotonic() - began


def _lasts(play: Play, stage: Stage) -> float:
    """How long exactly that takes which is ended."""
    if play.typed:
        return AT_TERMINAL
    play.set_stage(stage)
    began = time.monotonic()
    stage.run(*play.words, stdin=play.stdin)
    return time.monotonic() - began


def _survives(play: Play, stage: Stage, fate: Fate, wanted: object) -> bool:
    """Whether it was really struck: it may have been over by then."""
    play.set_stage(stage)
    try:
        done = stage.struck_in_terminal(play.typed, fate) if play.typed else stage.struck(play.words, fate, play.stdin)
        check_end(done, fate)
        stage.check_nobody_is_left()
        stage.check_records()
        play.check(stage)
        assert play.go_on(stage) == wanted, f"{fate}: {done.stderr}"
        stage.check_records()
        stage.check_nobody_is_left()
    finally:
        stage.clear_away()
    return done.code != 0
