"""What grows in a long life of onbook: runs of scripts, conversations, transcripts, the journal, the index."""

from collections.abc import Callable

from benchmarks.growing.flows import items, journal, resumed, rounds, steps
from benchmarks.growing.index import index
from benchmarks.growing.talk import history, loop, transcript
from benchmarks.growth import Growth
from benchmarks.lab import Lab

GROWTHS: dict[str, Callable[[Lab], list[Growth]]] = {
    "grow-steps": steps,
    "grow-items": items,
    "grow-rounds": rounds,
    "grow-resume": resumed,
    "grow-journal": journal,
    "grow-loop": loop,
    "grow-history": history,
    "grow-transcript": transcript,
    "grow-index": index,
}
