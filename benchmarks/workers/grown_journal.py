"""onbook: a journal of so many runs, listed whole (`list`), or one more run that begins and ends in it (`begin`).

`begin` takes the journals that `list` made.
"""

import sys
import time
from functools import partial
from pathlib import Path

from benchmarks.workers.report import report_sizes
from onbook.flow.data import Small
from onbook.journal.journal import Journal, Start, open_journal
from onbook.journal.reading import all_runs
from onbook.outcome import Outcome

STEPS = 5
TIMES = 5
"""In a sample, so that a small one is not too short for the clock."""
START = Start(kind="pipeline", name="grown", definition="0" * 64, steps=STEPS)


def main(what: str, folder: Path) -> None:
    report_sizes(partial({"list": _listed, "begin": _begun}[what], folder))


def _listed(folder: Path, size: int) -> float:
    root = _of_size(folder, size)
    began = time.process_time()
    for _ in range(TIMES):
        if len(all_runs(root)) != size:
            raise RuntimeError("a run is missing")
    return (time.process_time() - began) / TIMES


def _begun(folder: Path, size: int) -> float:
    root = _of_size(folder, size)
    began = time.process_time()
    for _ in range(TIMES):
        with open_journal(root) as journal:
            _run(journal)
    return (time.process_time() - began) / TIMES


def _of_size(folder: Path, size: int) -> Path:
    """A workspace with so many runs in its journal, made when it is first asked for."""
    root = folder / str(size)
    if not root.exists():
        root.mkdir()
        with open_journal(root) as journal:
            journal.database.execute("BEGIN")
            for number in range(size):
                _run(journal, f"{number:08x}")
            journal.database.execute("COMMIT")
    return root


def _run(journal: Journal, name: str | None = None) -> None:
    run = journal.begin(START, Small(b"given\n"), name)
    for number in range(STEPS):
        run.done(f"step{number}", b"k" * 32, Outcome.PASSED, Small(b"done\n"), 0.001)
    run.end(Outcome.PASSED)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
