"""Whatever is written reads back the same, for any text in any place."""

import time

import pytest
from hypothesis import example, given, settings

from onbook.transcript import (
    Action,
    Aside,
    Note,
    Scene,
    Screenplay,
    Speech,
    TranscriptError,
    Transition,
    Turn,
    scene_of,
    turns_of,
)
from onbook.transcript.escape import (
    escape_line,
    escape_note,
    escape_prose,
    escape_speech,
    unescape_line,
    unescape_note,
    unescape_text,
)
from onbook.transcript.read import read
from onbook.transcript.write import write
from tests.transcript.strategies import WHOLE_RECORDING, names, screenplays, texts, turns

PAGE = (("Title", "onbook session"),)
TIME = "2026-05-20 14:30:00"


@settings(max_examples=100, deadline=None)
@given(screenplays)
def test_a_screenplay_reads_back_as_it_was_written(screenplay: Screenplay) -> None:
    assert read(write(screenplay)) == screenplay


@settings(max_examples=60, deadline=None)
@given(turns, turns, names, names)
def test_turns_read_back_as_they_were(first: Turn, second: Turn, agent: str, person: str) -> None:
    scenes = tuple(scene_of(turn, agent=agent, person=person) for turn in (first, second))
    assert turns_of(read(write(Screenplay(PAGE, scenes)))) == (first, second)


@settings(max_examples=200, deadline=None)
@given(texts)
@example("\\\r")
@example("\\\\u{d}")
@example("\n  \n \n\n\n")
@example("]")
@example("]\\")
def test_every_escape_is_undone_and_stays_in_one_paragraph(text: str) -> None:
    for escape, unescape in (
        (escape_speech, unescape_text),
        (escape_prose, unescape_text),
        (escape_note, unescape_note),
        (escape_line, unescape_line),
    ):
        source = escape(text)
        assert unescape(source) == text
        assert "\n\n" not in source
        assert source.strip("\n") == source
        assert "[[" not in source
        assert "/*" not in source
    assert f"{escape_note(text)}]]".index("]]") == len(escape_note(text))
    assert "\n" not in escape_line(text)


def test_a_whole_recording_as_a_reply_forges_nothing() -> None:
    turn = Turn(WHOLE_RECORDING, WHOLE_RECORDING, "Harvey", "m", remote=False, time=TIME, reasoning=WHOLE_RECORDING)
    screenplay = Screenplay(PAGE, (scene_of(turn, agent="Harvey", person="RSDOIEL"),), complete=False)
    again = read(write(screenplay))
    assert turns_of(again) == (turn,)
    assert len(again.scenes) == 1
    assert not again.complete


@pytest.mark.parametrize(
    "text",
    [
        "Plain prose with (parentheses), a [link](https://x.org/*), 50% and ~tildes~ in it.",
        "Two paragraphs are kept.\n\nHere is the second, with `code` and \\frac{1}{2}.",
        "A list:\n- one\n- two\n* three\n1. four",
        'if (a[b[0]] == c) {\n    return "\\n";\n}',
    ],
)
def test_ordinary_prose_and_code_stay_as_they_are(text: str) -> None:
    assert escape_speech(text).replace("\n  \n", "\n\n").replace("/\\*", "/*") == text


def test_the_source_of_each_element_is_plain_fountain() -> None:
    elements = (
        Action("Harvey and RSDOIEL are in chat mode. Model: llama3:latest. Workspace: /p."),
        Aside("hidden confidence instruction appended"),
        Speech("RSDOIEL", "Summarise.\n\nBe brief.", "quietly"),
        Speech("LLAMA3:LATEST", "# Summary\nDone."),
        Note("tool: read_file"),
        Aside("confidence: 0.91 — threshold met"),
        Transition("CUT TO:"),
    )
    scene = Scene("INT", "PIPELINE SETUP.MD STEP 1/3", TIME, elements)
    assert write(Screenplay(PAGE, (scene,))).decode() == (
        "Title: onbook session\n\nFADE IN:\n\n"
        "INT. PIPELINE SETUP.MD STEP 1/3 2026-05-20 14:30:00\n\n"
        "Harvey and RSDOIEL are in chat mode. Model: llama3:latest. Workspace: /p.\n\n"
        "(hidden confidence instruction appended)\n\n"
        "RSDOIEL\n(quietly)\nSummarise.\n  \nBe brief.\n\n"
        "@LLAMA3:LATEST\n\\# Summary\nDone.\n\n"
        "[[tool: read_file]]\n\n"
        "(confidence: 0.91 — threshold met)\n\n"
        "CUT TO:\n\n"
        "THE END.\n"
    )


@pytest.mark.parametrize(
    ("screenplay", "message"),
    [
        (Screenplay(PAGE, (Scene("INT", "X", TIME, (Note("\ud83d"),)),)), "half a surrogate pair (U+D83D)"),
        (Screenplay(PAGE, (Scene("INT", "X", "now"),)), "not the time of a scene"),
        (Screenplay(PAGE, (Scene("INT", "X", TIME, (Speech("bob", "hi"),)),)), 'it would be "BOB"'),
        (Screenplay((("a:b", "c"),)), "cannot be a key"),
        (Screenplay(()), "needs a title page"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(screenplay: Screenplay, message: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        write(screenplay)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_half_a_surrogate_pair_in_a_turn_is_refused() -> None:
    for turn in (
        Turn("\ud83d", "", "Harvey", "m", remote=False, time=TIME),
        Turn("", "", "Harvey", "m\udc00", remote=False, time=TIME),
    ):
        with pytest.raises(TranscriptError, match="surrogate"):
            write(Screenplay(PAGE, (scene_of(turn, agent="Harvey", person="U"),)))


@pytest.mark.parametrize("piece", ["\\", "[", "[\\", "(", "/", "]", " ", "\n", "\t\n", "A", "(x) ", "\\u{", "\x00"])
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    text = piece * 100_000 + "\x00 end"
    start = time.process_time()
    for escape, unescape in (
        (escape_speech, unescape_text),
        (escape_note, unescape_note),
        (escape_line, unescape_line),
    ):
        assert unescape(escape(text)) == text
    assert time.process_time() - start < 5
