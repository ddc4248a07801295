"""A recorded session as a person reads it again."""

from itertools import chain
from pathlib import Path

from onbook.transcript import Recorder, load
from onbook.transcript.reading import readable
from tests.transcript.conversation import CAST, NOW, turn
from tests.transcript.pipelines import LINE, UNSURE, begun, ended, reused, step


def test_a_pipeline_is_read_as_what_was_typed_its_steps_and_the_result(tmp_path: Path) -> None:
    error = "pipeline stopped at step 2/3: confidence 0.72 below threshold 0.90"
    first = (
        [begun()],
        step(1, "setup.md", "It is set up."),
        step(2, "step1.md", "Perhaps.", UNSURE, given="It is set up.", outcome="below_threshold"),
        [ended("below_threshold", error=error)],
    )
    second = ([begun()], reused(1, "setup.md"), step(2, "step1.md", "Surely."), [ended(text="Surely.")])
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        recorder.record(turn(1, reply="Hello."))
        for event in chain(*first, *second):
            recorder(event)
    assert list(readable(load(recorder.path))) == [
        "2026-05-20 14:30:00 · llama3:latest\n\nRSDOIEL\nQuestion 1?\n\nHARVEY\nHello.\n",
        f"2026-05-20 14:33:00 · llama3:latest\n\nRSDOIEL\n{LINE}\n\n"
        "[step 1/3 setup.md · llama3:latest · confidence: 0.91 — threshold met]\n"
        "[step 2/3 step1.md · llama3:latest · confidence: 0.72 — below threshold 0.90]\n\n"
        f"({error})\n",
        f"2026-05-20 14:33:00 · llama3:latest\n\nRSDOIEL\n{LINE}\n\n"
        "[step 1/3 setup.md · taken from run r1; confidence: 0.91 — threshold met]\n"
        "[step 2/3 step1.md · llama3:latest · confidence: 0.91 — threshold met]\n\n"
        "HARVEY\nSurely.\n",
    ]


def test_a_pipeline_that_was_killed_shows_the_steps_it_finished(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        for event in chain([begun()], step(1, "setup.md", "It is set up.")):
            recorder(event)
    told = (
        f"2026-05-20 14:30:00 · llama3:latest\n\nRSDOIEL\n{LINE}\n\n"
        "[step 1/3 setup.md · llama3:latest · confidence: 0.91 — threshold met]\n\n(interrupted)\n"
    )
    assert list(readable(load(recorder.path))) == [told]
    with Recorder.resume(recorder.path, CAST) as again:
        again.record(turn(1))
    assert next(readable(load(recorder.path))) == told
