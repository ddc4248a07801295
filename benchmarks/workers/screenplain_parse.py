"""screenplain: the same file to its screenplay."""

import sys
from pathlib import Path

from screenplain.parsers.fountain import parse

from benchmarks.workers.report import report_work


def work(path: Path) -> object:
    with path.open(encoding="utf-8") as stream:
        return parse(stream)


if __name__ == "__main__":
    report_work(lambda: work(Path(sys.argv[1])))
