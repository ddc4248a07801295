"""How the index of `/rag` grows: with the files it is made from, and when it is asked."""

from benchmarks.growth import Growth, grown
from benchmarks.knowledge import corpus
from benchmarks.lab import Lab

SIZES = (100, 1_000, 2_000, 4_000)
"""Files of 10 to 20 KB, about eleven passages each."""


def index(lab: Lab) -> list[Growth]:
    """So many files indexed from nothing, and five questions to so many."""
    files, _ = corpus(lab.scratch / "grow-index-files", SIZES[-1])
    found = []
    for what, benchmark, rounds in (("add", "/rag add", 2), ("query", "five times /rag query", 5)):
        folder = lab.scratch / f"grow-index-{what}"
        folder.mkdir()
        with lab.worker(lab.ours, "grown_index", what, str(files), str(folder)) as worker:
            found.append(grown(benchmark, "files in the index", SIZES, worker.ask, rounds=rounds))
    return found
