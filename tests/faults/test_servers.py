"""A model server that is killed, stalls, dawdles, refuses, lies or floods: one line says so, and all else goes on.

Every kind of bad server of `servers.py` meets every runner that talks to a model (a workflow takes long and meets every
other one); in the short form some meet one. The server is bad for all that the run asks from some moment on. Then it is
well again, and the run goes on.
"""

from pathlib import Path

import pytest

from tests.faults.ledger import LONG, Ledger, kept
from tests.faults.runners import PIPELINE, WITH_MODEL, WORKFLOW, House, Runner
from tests.faults.servers import BAD, Bad
from tests.scripted import ScriptedServer

PAIRS = [
    (bad, runner) for number, bad in enumerate(BAD) for runner in WITH_MODEL if runner is not WORKFLOW or number % 2
]
SOME = [(bad, runner) for bad, runner in PAIRS if runner is not WORKFLOW][::24]


@pytest.mark.parametrize(("bad", "runner"), PAIRS if LONG else SOME, ids=str)
def test_a_bad_server_is_one_line_and_the_run_goes_on_when_it_is_well_again(
    bad: Bad,
    runner: Runner,
    workspace: Path,
    environment: dict[str, str],
    scripted_model: ScriptedServer,
    ledger: Ledger,
) -> None:
    house = House(runner, workspace, environment, scripted_model)
    if runner is WORKFLOW:
        house.well_for = BAD.index(bad) % 6
    with ledger.trial(bad.fault, runner.name):
        house.trouble = bad.answer
        got = house.begin()
        assert got.code in _expected(bad, runner), got.stderr
        assert "Traceback" not in got.stderr
        assert "\x1b" not in got.stderr
        house.check_records()
        before = house.turns
        house.trouble = None
        again = house.go_on() if got.code else got
        assert again.code == 0, again.stderr
        house.check_records()
        kept(all(turn in house.turns for turn in before), "turns that were recorded before")


def _expected(bad: Bad, runner: Runner) -> tuple[int, ...]:
    """An odd answer may not be sure enough; an agent that answers without doing its work is asked about at a gate, and
    one that does not stop talking may be cut off before the server is."""
    if not bad.goes_on:
        if runner is WORKFLOW and bad.fault == "server flooding":
            return (runner.model_failed, 4)
        return (runner.model_failed,)
    if runner is WORKFLOW and not callable(bad.answer):
        return (4,)
    return (0, 3) if runner is PIPELINE else (0,)
