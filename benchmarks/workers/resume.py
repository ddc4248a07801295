"""onbook: going on with a foreach that was killed half-way, until the first item that has to run. No process starts.

`resume FOLDER ITEMS wall` reports the seconds, `cpu` those of the processor; `begin` is the run that gets killed.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Never

from benchmarks.workers.report import CLOCKS, report_times
from onbook.config.policy_settings import PolicySettings
from onbook.flow.data import Data, Small
from onbook.flow.resuming import resume_run
from onbook.flow.runner import Runner
from onbook.flow.script_actor import ScriptActor
from onbook.flow.steps import Flow, Foreach, Once, Script
from onbook.journal.journal import open_journal
from onbook.journal.listing import find_run
from onbook.policy.audit import Audit
from onbook.policy.door import Door
from onbook.policy.redaction import RedactingSink

FLOW = Flow("items", "pipeline", (Foreach("each", ".+", (Once("one", Script(("true",))),)),))


class FirstItem(BaseException):
    """The first item that has to run is about to."""


def main(folder: Path, items: int, what: str) -> None:
    door = Door(folder, PolicySettings(), audit=Audit(folder, folder.with_name(f"{folder.name}-state")))
    runner = Runner(folder, door, RedactingSink(lambda _: None), os.environ)
    if what == "begin":
        ScriptActor.perform = _until_killed(items // 2)  # type: ignore[method-assign,assignment]
        given = Small(b"".join(b"item %d\n" % number for number in range(items)))
        asyncio.run(runner.run(FLOW, given, record=True))
        return
    subprocess.run([sys.executable, "-m", __spec__.name, str(folder), str(items), "begin"], check=False)
    killed = folder / ".onbook"
    copy = shutil.copytree(killed, folder.with_name(f"{folder.name}-killed"))
    with open_journal(folder, print) as journal:
        run = find_run(journal.database, "latest")
    if run.instances != items // 2:
        raise RuntimeError(f"{run.instances} items were done, not half of them")
    ScriptActor.perform = _first_item  # type: ignore[method-assign,assignment]
    report_times(lambda: _resumed(runner, run.id), before=lambda: _as_it_was(killed, copy), clock=CLOCKS[what])


def _until_killed(left: int) -> Callable[..., Awaitable[Data]]:
    async def perform(*_: object) -> Data:
        nonlocal left
        if not left:
            os._exit(9)
        left -= 1
        return Small(b"done\n")

    return perform


async def _first_item(*_: object) -> Never:
    raise FirstItem


def _resumed(runner: Runner, run: str) -> None:
    try:
        asyncio.run(resume_run(runner, FLOW, run))
    except FirstItem:
        return
    raise RuntimeError("there was nothing left to run")


def _as_it_was(folder: Path, copy: Path) -> None:
    shutil.rmtree(folder)
    shutil.copytree(copy, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
