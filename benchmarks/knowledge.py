"""Indexing a folder and asking the index, against sqlite-utils doing the same with SQLite's own full-text search."""

import random
import sys
import sysconfig
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from benchmarks.harness import Contender, Row, take_turns
from benchmarks.lab import Lab
from benchmarks.peers import PEERS

FILES = 2_000
MANY_FILES = 4_700
"""Enough for 50,000 passages."""
PEER = "sqlite-utils"
_MEGABYTES_A_SECOND = 10
_MILLISECONDS = 20


def add(lab: Lab) -> list[Row]:
    """2,000 new files of 10 to 20 KB: read, cut, indexed and safely on disk."""
    folder, megabytes = corpus(lab.scratch / "rag-add", FILES)
    ours = f"/rag add, {megabytes:.0f} MB"
    target = f"{_MEGABYTES_A_SECOND} MB/s"
    return _compared(lab, "add", ours, folder, (target, lambda: megabytes / _MEGABYTES_A_SECOND), rounds=5, ratio=1.5)


def query(lab: Lab) -> list[Row]:
    """A question of three to twelve words to 50,000 passages, from opening the index to the passages' text."""
    folder, _ = corpus(lab.scratch / "rag-query", MANY_FILES)
    target = f"{_MILLISECONDS} ms"
    limit = (target, lambda: _MILLISECONDS / 1e3)
    return _compared(lab, "query", "/rag query", folder, limit, rounds=15, ratio=0.5)


def _compared(
    lab: Lab,
    what: str,
    ours: str,
    folder: Path,
    limit: tuple[str, Callable[[], float]],
    *,
    rounds: int,
    ratio: float,
) -> list[Row]:
    with ExitStack() as stack:
        our_worker = stack.enter_context(lab.worker(lab.ours, "knowledge", what, str(folder)))
        contenders: dict[str, Contender] = {ours: our_worker.cost, limit[0]: limit[1]}
        targets = {limit[0]: 1.0}
        if lab.has(PEERS):
            peer = stack.enter_context(lab.worker(lab.peers, "sqlite_utils_fts", what, str(folder)))
            contenders[PEER] = peer.cost
            targets = {PEER: ratio, **targets}
        costs = take_turns(contenders, rounds=rounds, warm_up=1)
    return [costs.row(f"rag {what}", ours, peer, target=target, kind="wall") for peer, target in targets.items()]


def corpus(folder: Path, count: int) -> tuple[Path, float]:
    """Files cut from Python's own library: prose, code and tables, the same at every run; and their size in MB."""
    chance = random.Random(7)
    library = Path(sysconfig.get_path("stdlib"))
    sources = [path for path in sorted(library.glob("**/*.py")) if "site-packages" not in path.parts]
    texts = [path.read_text(errors="replace") for path in sources]
    text = "\n".join(text for text in texts if text.isascii())
    size = 0
    for number in range(count):
        start = chance.randrange(len(text) - 20_000)
        piece = text[start : start + chance.randint(10_000, 20_000)]
        path = folder / f"part{number % 40}" / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(piece)
        size += len(piece)
    print(f"{folder.name}: {count} files, {size / 1e6:.1f} MB", file=sys.stderr, flush=True)
    return folder, size / 1e6
