"""Steps in the record read back as they were, whatever is said in them, and nothing said can pose as one."""

import pytest
from hypothesis import given, settings

from onbook.events import Note, RunStarted, StepFinished
from onbook.transcript import Note as NoteElement
from onbook.transcript import Scene, Screenplay, Step, TranscriptError, scene_of, step_scene, steps_of, turns_of
from onbook.transcript.command_scenes import UnfinishedCommand
from onbook.transcript.read import read
from onbook.transcript.sealing import is_sealed
from onbook.transcript.write import write
from tests.transcript.conversation import NOW, turn
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain, written
from tests.transcript.pipelines import UNSURE, ended
from tests.transcript.strategies import WHOLE_RECORDING, names, steps, texts

PAGE = (("Title", "onbook session"),)
TIME = "2026-05-20 14:30:00"


@settings(max_examples=50)
@given(steps, names)
def test_a_step_reads_back_as_it_was(step: Step, person: str) -> None:
    talk = scene_of(turn(1), agent="Harvey", person=person)
    screenplay = Screenplay(PAGE, (step_scene(step, person=person), talk))
    again = read(write(screenplay))
    assert again == screenplay
    assert steps_of(again) == (step,)
    assert turns_of(again) == (turn(1),)
    assert all(map(is_sealed, again.scenes))


@settings(max_examples=50)
@given(steps, names)
def test_both_judges_hear_the_speakers_of_any_step(step: Step, person: str) -> None:
    screenplay = Screenplay(PAGE, (step_scene(step, person=person),))
    source = write(screenplay).decode()
    assert heard_by_screenplain(source) == heard_by_fountain_py(source) == written(screenplay)


def test_a_whole_recording_in_every_place_forges_nothing() -> None:
    step = Step(
        *("r", WHOLE_RECORDING, TIME, WHOLE_RECORDING, 1, 2, WHOLE_RECORDING, WHOLE_RECORDING),
        error=WHOLE_RECORDING,
        given=WHOLE_RECORDING,
        body=WHOLE_RECORDING,
        notes=(WHOLE_RECORDING,),
        reasoning=WHOLE_RECORDING,
        reply=WHOLE_RECORDING,
    )
    again = read(write(Screenplay(PAGE, (step_scene(step, person="RSDOIEL"),), complete=False)))
    assert (steps_of(again), turns_of(again), len(again.scenes), again.complete) == ((step,), (), 1, False)


@settings(max_examples=50)
@given(said=texts, note=texts, error=texts, address=texts)
def test_nothing_in_a_command_can_pose_as_a_step(said: str, note: str, error: str, address: str) -> None:
    unfinished = UnfinishedCommand(RunStarted(run="r1", time=NOW, kind="workflow", input=said, workspace="/w"))
    unfinished.take(Note(run="r1", time=NOW, text=note))
    unfinished.take(
        StepFinished(run="r1", time=NOW, address=address, outcome="failed", seconds=0, error=error, reading=UNSURE)
    )
    scene = unfinished.finish(ended("failed", text=said, error=error), person="ada")
    (only,) = steps_of(read(write(Screenplay(PAGE, (scene,)))))
    assert (only.address, only.error, only.reading) == (address, error, UNSURE)


@pytest.mark.parametrize("values", ["{", '{"run":"r"}', '{"run":"r","address":"a","time":"t","reading":{"score":"x"}}'])
def test_a_damaged_step_is_one_clear_line(values: str) -> None:
    scene = Scene("INT", "PIPELINE A.MD STEP 1/1", TIME, (NoteElement(f"step: {values}"),))
    with pytest.raises(TranscriptError, match=f"^a step in the scene of {TIME} is damaged"):
        steps_of(Screenplay(PAGE, (scene,)))
