"""onbook: a transcript from its file to its turns."""

import sys
from pathlib import Path

from benchmarks.workers.report import report_work
from onbook.transcript.history import load

if __name__ == "__main__":
    path = Path(sys.argv[1])
    report_work(lambda: load(path).turns)
