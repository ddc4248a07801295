"""sqlite-utils: the same files as rows of fifty lines, full-text search enabled on them, with its own defaults."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlite_utils  # type: ignore[import-not-found]  # of .venv-bench

from benchmarks.workers.questions import QUESTIONS
from benchmarks.workers.report import report_times

LINES = 50


def main(what: str, folder: Path) -> None:
    path = folder.with_name(f"{folder.name}-peer.sqlite")
    if what == "add":
        report_times(lambda: build(folder, path), before=lambda: path.unlink(missing_ok=True))
    else:
        build(folder, path)
        report_times(lambda: ask(path), parts=len(QUESTIONS))


def build(folder: Path, path: Path) -> None:
    database = sqlite_utils.Database(path)
    table: Any = database["passages"]
    table.insert_all(_passages(folder), batch_size=1000)
    table.enable_fts(["text"], tokenize="porter")
    database.close()


def ask(path: Path) -> None:
    for question in QUESTIONS:
        database = sqlite_utils.Database(path)
        table: Any = database["passages"]
        if not list(table.search(" OR ".join(question.split()), limit=5)):
            raise RuntimeError(f"nothing found: {question}")
        database.close()


def _passages(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.md")):
        lines = path.read_text().splitlines(keepends=True)
        for first in range(0, len(lines), LINES):
            yield {"path": str(path), "first": first + 1, "text": "".join(lines[first : first + LINES])}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
