"""`python -m benchmarks`: everything, or what `--only` names; a table, or JSON with `--json`."""

import argparse
import json
import sys
import time
from collections.abc import Callable

from benchmarks.calls import calls
from benchmarks.commands import ask, help_, version
from benchmarks.first_token import first_token
from benchmarks.flow import foreach, gibibyte, once, resume
from benchmarks.harness import Row, table
from benchmarks.knowledge import add, query
from benchmarks.lab import Lab, open_lab, versions
from benchmarks.pipeline import pipeline
from benchmarks.prompt import prompt
from benchmarks.transcripts import append, read

BENCHMARKS: dict[str, Callable[[Lab], list[Row]]] = {
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
    "pipeline": pipeline,
    "pipeline-first-token": first_token,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="this one alone; can be given again")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args()

    rows: list[Row] = []
    with open_lab() as lab:
        for name in options.only or BENCHMARKS:
            began = time.monotonic()
            rows += BENCHMARKS[name](lab)
            print(f"{name}: measured in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        measured = versions(lab)
    if options.json:
        print(json.dumps({"versions": measured, "rows": [row.as_json() for row in rows]}, indent=2))
    else:
        print(f"\n{table(rows)}\n\n" + ", ".join(f"{name} {number}" for name, number in measured.items()))
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
