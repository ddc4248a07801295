"""onbook: so many files indexed from nothing (`add`), or questions to an index of so many (`query`)."""

import asyncio
import shutil
import sys
import time
from functools import partial
from pathlib import Path

from benchmarks.workers.knowledge import ask, opened, tell_nobody
from benchmarks.workers.report import report_sizes


def main(what: str, files: Path, folder: Path) -> None:
    report_sizes(partial({"add": _added, "query": _asked}[what], sorted(files.rglob("*.md")), folder))


def _added(files: list[Path], folder: Path, size: int) -> float:
    root = _of_size(files, folder, size)
    shutil.rmtree(root / ".onbook", ignore_errors=True)
    began = time.process_time()
    asyncio.run(opened(root).add(["."], tell_nobody))
    return time.process_time() - began


def _asked(files: list[Path], folder: Path, size: int) -> float:
    root = folder / str(size)
    if not root.exists():
        asyncio.run(opened(_of_size(files, folder, size)).add(["."], tell_nobody))
    knowledge = opened(root)
    began = time.process_time()
    asyncio.run(ask(knowledge))
    return time.process_time() - began


def _of_size(files: list[Path], folder: Path, size: int) -> Path:
    """A workspace with so many of the files, made when it is first asked for."""
    root = folder / str(size)
    if not root.exists():
        root.mkdir()
        for file in files[:size]:
            (root / file.name).hardlink_to(file)
    return root


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
