"""Texts, elements and turns for property tests: arbitrary Unicode, and pieces that look like screenplay."""

from hypothesis import strategies as st

from onbook.events import Reading, Totals
from onbook.outcome import Outcome
from onbook.transcript import (
    Action,
    Aside,
    Element,
    Note,
    Scene,
    Screenplay,
    Speech,
    Step,
    ToolUse,
    Transition,
    Turn,
    stage_name,
)

WHOLE_RECORDING = """\
Title: onbook session
Credit: Recorded by onbook

FADE IN:

INT. HARVEY AND RSDOIEL TALKING 2026-05-20 14:30:00

Harvey and RSDOIEL are in chat mode. Model: m. Workspace: /w.

RSDOIEL
forged

HARVEY
forged

[[turn: {"model":"m","speaker":"Harvey"}]]

THE END.
"""
NASTY = [
    *("", "", "  ", " ", "\t", "\u3000", "\xa0", "text  ", "  lead", "\ttab", "a", "Hello there", "42"),
    *("HARVEY", "RSDOIEL", "OK", "ALL CAPS LINE", "JOHN (V.O.)", "JOHN^", "@x", "@", "@HARVEY"),
    *("INT. HOUSE - DAY", "int. x", "Est 1990", "I/E x", "INT/EXT. CAR", ".x", ".FLASHBACK", "..."),
    *("INT. HARVEY AND RSDOIEL TALKING 2026-05-20 14:30:00", "EXT. A AND B 2026-05-20 14:30:00"),
    *(
        "[[",
        "]]",
        "[",
        "]",
        "[[x]]",
        '[[turn: {"model":"m","speaker":"s"}]]',
        "[[end of scene]]",
        '[[step: {"run":"r","address":"a","time":"t"}]]',
        '[[reading: {"run":"r","address":"a","time":"t"}]]',
        "[\\[",
        "]\\]",
    ),
    *("/*", "*/", "/* x */", "/\\*", "(aside)", " (x) ", "(", ")", "(cancelled)"),
    *("\\", "\\\\", "\\u{85}", "\\\\u{d}", "\\u{110000}", "u{41}", "\\n", "\\frac{1}{2}"),
    *("THE END.", "FADE IN:", "FADE OUT.", "CUT TO:", "CUT BACK TO:", "A TO:", "TO:", "Title: x"),
    *(">x<", ">", "> quote", "~", "~la", "#", "# Heading", "=", "==", "===", "!x", "!", "*", "**b**", "_u_"),
    *("\r\n", "\r", "\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x00", "\x1b[31m", "\x7f"),
    *("\ufeff", "e\u0301", "\u0301", "\U0001f600", "ß", "ı", "ſ", "\u202e", WHOLE_RECORDING),
]


def _is_text(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


_pieces = st.sampled_from(NASTY) | st.text(max_size=5)
_breaks = st.sampled_from(["\n", "\n\n", "\n  \n"])
texts = st.one_of(
    st.lists(_pieces | _breaks, max_size=8).map("".join),
    st.lists(_pieces, max_size=6).map("\n".join),
    st.lists(_pieces, max_size=6).map("\n\n".join),
    st.text(),
).filter(_is_text)

_real_names = st.sampled_from(["Harvey", "rsdoiel", "mistral", "llama3:latest", "my_model_x", "中文", "ACTOR"])
names = _real_names | texts
characters = names.map(stage_name)
times = st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat(" "))

elements: st.SearchStrategy[Element] = st.one_of(
    st.builds(Speech, characters, texts),
    st.builds(Speech, characters, texts, texts),
    st.builds(Note, texts),
    st.builds(Aside, texts),
    st.builds(Transition, texts | st.just("CUT TO:")),
    st.builds(Action, texts),
)
scenes = st.builds(Scene, st.sampled_from(["INT", "EXT"]), texts, times, st.lists(elements, max_size=5).map(tuple))
screenplays = st.builds(
    Screenplay,
    st.lists(st.tuples(st.sampled_from(["Title", "Draft date"]), texts), min_size=1, max_size=3).map(tuple),
    st.lists(scenes, max_size=3).map(tuple),
    st.booleans(),
)

_counts = st.none() | st.integers(0, 10**9)
_numbers = st.floats(0, 1e6, allow_nan=False)
totals = st.builds(Totals, _counts, _counts, st.booleans(), _numbers, st.none() | _numbers, st.none() | _numbers)
_many = st.lists(texts, max_size=2).map(tuple)
_uses = st.builds(ToolUse, texts) | st.builds(ToolUse, texts, texts, st.booleans())
_outcomes = st.sampled_from([outcome.value for outcome in Outcome])
turns = st.builds(
    Turn,
    user=texts,
    reply=texts,
    speaker=names,
    model=texts,
    remote=st.booleans(),
    time=times,
    reasoning=texts,
    workspace=texts,
    attachments=_many,
    notes=_many,
    tools=st.lists(_uses, max_size=2).map(tuple),
    outcome=_outcomes,
    error=texts,
    finish_reason=texts,
    totals=totals,
    pipeline=st.just("") | texts,
)
_readings = st.builds(Reading, st.floats(0, 1), texts, texts)
_asked = {
    "speaker": names,
    "model": texts,
    "remote": st.booleans(),
    "instructed": st.booleans(),
    "totals": totals,
    "given": texts,
    "body": texts,
    "notes": _many,
    "reasoning": texts,
    "reply": texts,
}


def _steps(**more: st.SearchStrategy[object]) -> st.SearchStrategy[Step]:
    return st.builds(
        Step,
        run=texts,
        address=texts,
        time=times,
        file=texts,
        index=st.integers(1, 9),
        total=st.integers(1, 9),
        line=texts,
        workspace=texts,
        reading=st.none() | _readings,
        threshold=st.none() | st.floats(0.01, 1),
        outcome=_outcomes,
        error=texts,
        finish_reason=texts,
        reused=st.booleans(),
        **more,
    )


steps = _steps(**_asked) | _steps()
"""Of pipelines: with all that was said, or of which nothing was sent."""
