"""A loop in the record: where it begins and where it ends, whatever was typed into it."""

from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings

from onbook.events import AnyEvent, Note, RunFinished, RunStarted
from onbook.transcript import Recorder, Screenplay
from onbook.transcript.loop_scenes import UnfinishedLoop, loop_begins
from onbook.transcript.read import read
from onbook.transcript.write import write
from tests.transcript.conversation import CAST, NOW
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain, written
from tests.transcript.strategies import texts

BEGUN = RunStarted(
    run="l",
    time=NOW,
    kind="loop",
    input="/loop 5m hello",
    workspace="/w",
    name="Looping every 5m, up to 10 times: hello",
)


def loop() -> Iterator[AnyEvent]:
    yield BEGUN
    yield Note(run="l", time=NOW, text="Loop finished after 10 iteration(s)")
    yield RunFinished(run="l", time=NOW, outcome="passed", exit_code=0)


def test_a_loop_begins_and_ends_with_a_parenthetical(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        for event in loop():
            recorder(event)
    assert recorder.path.read_text().partition("FADE IN:\n\n")[2] == (
        "INT. RSDOIEL AT THE KEYBOARD 2026-05-20 14:30:00\n\n"
        "RSDOIEL types a command. Workspace: /w.\n\n"
        "RSDOIEL\n/loop 5m hello\n\n"
        "(Looping every 5m, up to 10 times: hello)\n\n"
        "[[end of scene]]\n\n"
        "INT. THE LOOP ENDS 2026-05-20 14:30:00\n\n"
        "(Loop finished after 10 iteration(s))\n\n"
        "[[end of scene]]\n\n"
        "THE END.\n"
    )


def test_the_beginning_is_on_paper_before_the_first_iteration(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        recorder(BEGUN)
        assert "(Looping every 5m, up to 10 times: hello)" in recorder.path.read_text()


@given(texts, texts)
@settings(max_examples=50)
def test_whatever_is_looped_reads_back_the_same_and_poses_as_nobody(line: str, summary: str) -> None:
    started = RunStarted(run="l", time=NOW, kind="loop", input=line, workspace="/w", name=line)
    unfinished = UnfinishedLoop(started)
    unfinished.take(Note(run="l", time=NOW, text=summary))
    finished = RunFinished(run="l", time=NOW, outcome="passed", exit_code=0)
    scenes = (loop_begins(started, person="ada"), unfinished.finish(finished, person="ada"))
    screenplay = Screenplay((("Title", "onbook session"),), scenes)
    source = write(screenplay).decode()
    assert read(source.encode()).scenes == screenplay.scenes
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == written(screenplay)
