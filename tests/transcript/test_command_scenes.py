"""Commands in the record: scenes of their own, sealed, heard by other people's readers, and never turns."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from onbook.events import AnyEvent, Note, ProcessFinished, RunFinished, RunStarted, TextDelta
from onbook.transcript import Recorder, Screenplay, Speech, load
from onbook.transcript.command_scenes import MOST_SAID, UnfinishedCommand
from onbook.transcript.elements import Aside
from onbook.transcript.read import read
from onbook.transcript.write import write
from tests.transcript.conversation import CAST, NOW, turn
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain, written
from tests.transcript.strategies import names, texts


def command(
    line: str = "!make test",
    said: str = "1 failed\n",
    *,
    outcome: str = "failed",
    error: str = "",
    recorded: bool = True,
    exit_code: int | None = 2,
    problem: str = "",
) -> Iterator[AnyEvent]:
    yield RunStarted(run="c", time=NOW, kind="command", input=line, workspace="/w", recorded=recorded)
    yield TextDelta(run="c", time=NOW, text=said)
    yield ProcessFinished(
        run="c", time=NOW, command="make test", exit_code=exit_code, output=said, seconds=0.25, problem=problem
    )
    yield Note(run="c", time=NOW, text="output of make test goes with the next message")
    yield RunFinished(run="c", time=NOW, outcome=outcome, exit_code=1, text=said, error=error)


def test_a_command_is_a_scene_that_reads_like_a_play(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST, now=NOW) as recorder:
        for event in command():
            recorder(event)
    source = recorder.path.read_text()
    assert source == (
        "Title: onbook session\n"
        "Credit: Recorded by onbook\n"
        "Author: RSDOIEL\n"
        "Date: 2026-05-20 14:30:00\n"
        "Draft date: 2026-05-20\n"
        "Format: onbook 1\n\n"
        "FADE IN:\n\n"
        "INT. RSDOIEL AT THE KEYBOARD 2026-05-20 14:30:00\n\n"
        "RSDOIEL types a command. Workspace: /w.\n\n"
        "RSDOIEL\n\\!make test\n\n"
        "ONBOOK\n1 failed\n\n"
        "(exit code 2 after 0.2 s)\n\n"
        "[[note: output of make test goes with the next message]]\n\n"
        "(failed)\n\n"
        "[[end of scene]]\n\n"
        "THE END.\n"
    )
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == ["RSDOIEL", "ONBOOK"]


def test_commands_stand_between_turns_and_are_none(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        for event in command():
            recorder(event)
        recorder.record(turn(1))
        for event in command("/read a.md", "a.md: 2 lines\n", outcome="passed"):
            recorder(event)
    session = load(recorder.path)
    assert session.turns == (turn(1),)
    assert [scene.title for scene in session.screenplay.scenes][::2] == ["RSDOIEL AT THE KEYBOARD"] * 2
    assert (session.complete, session.torn) == (True, False)


def test_what_is_not_to_be_recorded_is_not(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        for event in command("/help", recorded=False):
            recorder(event)
    assert not recorder.path.exists()


def test_a_session_that_began_with_a_command_goes_on(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        for event in command():
            recorder(event)
    with Recorder.resume(recorder.path, CAST) as again:
        again.record(turn(1))
    assert load(recorder.path).turns == (turn(1),)


def test_a_torn_command_is_found_and_the_recording_goes_on(tmp_path: Path) -> None:
    with Recorder.create(tmp_path, CAST) as recorder:
        recorder.record(turn(1))
        for event in command():
            recorder(event)
    whole = recorder.path.read_bytes()
    path = tmp_path / "torn.fountain"
    for length in range(whole.index(b"KEYBOARD"), whole.index(b"[[end of scene")):
        path.write_bytes(whole[:length])
        assert load(path).torn, length
    with Recorder.resume(path, CAST) as again:
        again.record(turn(2))
    assert load(path).turns == (turn(1), turn(2))


@pytest.mark.parametrize(
    ("given", "aside"),
    [
        ({"exit_code": 0, "outcome": "passed"}, "exit code 0 after 0.2 s"),
        ({"exit_code": None, "problem": "stopped after 9 s"}, "stopped after 9 s"),
        ({"exit_code": -9, "problem": "ended by SIGKILL"}, "ended by SIGKILL"),
        (
            {"problem": "the middle of its output is left out"},
            "exit code 2 after 0.2 s; the middle of its output is left out",
        ),
        ({"outcome": "usage", "error": "no such file"}, "usage: no such file"),
        ({"outcome": "cancelled"}, "cancelled"),
    ],
)
def test_how_it_ended_is_said(given: dict[str, object], aside: str) -> None:
    first, *rest, last = command(**given)  # type: ignore[arg-type]
    assert isinstance(first, RunStarted)
    assert isinstance(last, RunFinished)
    unfinished = UnfinishedCommand(first)
    for event in rest:
        unfinished.take(event)
    assert Aside(aside) in unfinished.finish(last, person="ada").elements


def test_a_flood_is_kept_with_its_beginning_and_its_end(tmp_path: Path) -> None:
    flood = "".join(f"line {number}\n" for number in range(100_000))
    with Recorder.create(tmp_path, CAST) as recorder:
        for event in command(said=flood):
            recorder(event)
    (scene,) = load(recorder.path).screenplay.scenes
    said = next(part.text for part in scene.elements if isinstance(part, Speech) and part.character == "ONBOOK")
    assert len(said) < MOST_SAID + 100
    assert said.startswith("line 0\n")
    assert said.endswith("line 99999")
    assert "characters left out" in said


@settings(max_examples=60, deadline=None)
@given(line=texts, said=texts, note=texts, error=texts, person=names)
def test_no_output_can_pose_as_a_turn_or_as_another_speaker(
    line: str, said: str, note: str, error: str, person: str
) -> None:
    unfinished = UnfinishedCommand(RunStarted(run="c", time=NOW, kind="command", input=line, workspace="/w"))
    unfinished.take(Note(run="c", time=NOW, text=note))
    finished = RunFinished(run="c", time=NOW, outcome="failed", exit_code=1, text=said, error=error)
    screenplay = Screenplay((("Title", "onbook session"),), (unfinished.finish(finished, person=person),))
    source = write(screenplay).decode()
    assert read(source.encode()).scenes == screenplay.scenes
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == written(screenplay)
