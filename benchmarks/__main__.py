"""`python -m benchmarks [NAME…]`: everything, or these alone; tables on the screen, and results in a folder."""

import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from benchmarks.calls import calls
from benchmarks.commands import ask, help_, version
from benchmarks.first_token import first_token
from benchmarks.flow import foreach, gibibyte, once, resume
from benchmarks.growing import GROWTHS
from benchmarks.growth import Growth
from benchmarks.harness import Row
from benchmarks.knowledge import add, query
from benchmarks.lab import Lab, open_lab
from benchmarks.machine import machine, versions
from benchmarks.orchestrators import resumed, started, steps
from benchmarks.peers import ROOT, PeerMissing
from benchmarks.pipeline import pipeline
from benchmarks.prompt import prompt
from benchmarks.results import Results, as_markdown, write
from benchmarks.transcripts import append, read

Measured = Sequence[Row | Growth]
BENCHMARKS: dict[str, Callable[[Lab], Measured]] = {
    "version": version,
    "help": help_,
    "prompt": prompt,
    "ask": ask,
    "call": calls,
    "read": read,
    "append": append,
    "rag-add": add,
    "rag-query": query,
    "flow-once": once,
    "flow-foreach": foreach,
    "flow-resume": resume,
    "flow-large": gibibyte,
    "orchestrator-start": started,
    "orchestrator-steps": steps,
    "orchestrator-resume": resumed,
    "pipeline": pipeline,
    "pipeline-first-token": first_token,
    **GROWTHS,
}


def main(wanted: Sequence[str]) -> int:
    unknown = [name for name in wanted if name not in BENCHMARKS]
    if unknown:
        print(f"benchmarks: no {', '.join(unknown)} here; there are {' '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    with open_lab() as lab:
        results = _run(lab, wanted or list(BENCHMARKS))
    paths = write(results, "only" if wanted else "latest")
    print(f"\n{as_markdown(results)}\nWritten: {' '.join(str(path.relative_to(ROOT)) for path in paths)}")
    return 0 if results.passed else 1


def _run(lab: Lab, names: Sequence[str]) -> Results:
    """Each in its turn. One that breaks off, or has nobody to be compared with, does not keep the others."""
    before = machine()
    measured: list[Row | Growth] = []
    took: dict[str, float] = {}
    failed: dict[str, str] = {}
    for name in names:
        began = time.monotonic()
        try:
            measured += BENCHMARKS[name](lab)
        except PeerMissing as missing:
            lab.leave_out(str(missing))
        except Exception as error:  # whatever it was, the others' figures are worth having
            failed[name] = f"{type(error).__name__}: {error}"
            print(f"{name}: broke off: {failed[name]}", file=sys.stderr, flush=True)
        took[name] = round(time.monotonic() - began, 1)
        print(f"{name}: {took[name]:.0f} s", file=sys.stderr, flush=True)
    return Results(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        machine=before,
        versions=versions(),
        took=took,
        rows=tuple(each for each in measured if isinstance(each, Row)),
        growths=tuple(each for each in measured if isinstance(each, Growth)),
        notes=tuple(lab.notes),
        failed=failed,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
