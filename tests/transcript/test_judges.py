"""Fountain tools by other people hear the same speakers in the same order, whatever is said."""

from hypothesis import given, settings

from onbook.transcript import Screenplay, Turn, scene_of
from onbook.transcript.write import write
from tests.transcript.judges import heard_by_fountain_py, heard_by_screenplain, written
from tests.transcript.strategies import names, screenplays, turns


@settings(max_examples=100, deadline=None)
@given(screenplays)
def test_both_judges_hear_the_speakers_of_any_screenplay(screenplay: Screenplay) -> None:
    source = write(screenplay).decode()
    assert heard_by_screenplain(source) == written(screenplay)
    assert heard_by_fountain_py(source) == written(screenplay)


@settings(max_examples=100, deadline=None)
@given(turns, turns, names, names)
def test_both_judges_hear_the_speakers_of_any_turns(first: Turn, second: Turn, agent: str, person: str) -> None:
    scenes = tuple(scene_of(turn, agent=agent, person=person) for turn in (first, second))
    screenplay = Screenplay((("Title", "onbook session"),), scenes)
    source = write(screenplay).decode()
    assert heard_by_screenplain(source) == written(screenplay)
    assert heard_by_fountain_py(source) == written(screenplay)
