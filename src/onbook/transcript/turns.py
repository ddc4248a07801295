"""Chat turns as scenes, and scenes back as turns.

What a person reads (names, words, what went wrong) is screenplay; the closing note holds the exact values
that prose would blur. It is also the seal: a turn without it was cut off by a crash and is not a turn.
"""

from collections.abc import Iterator, Sequence

import msgspec

from onbook.events import Totals
from onbook.transcript.elements import Action, Aside, Element, Note, Scene, Screenplay, Speech
from onbook.transcript.endings import in_words
from onbook.transcript.errors import TranscriptError
from onbook.transcript.names import stage_name
from onbook.transcript.sealing import TURN, note_of

THINKING, NOTE, _TOOL = "thinking: ", "note: ", "tool: "
_RESULT, _FAILURE = "result: ", "tool failed: "


class ToolUse(msgspec.Struct, frozen=True, gc=False):
    """A tool that the model called, and what it was given back."""

    call: str
    """`name(arguments)`"""
    result: str | None = None
    """None when the turn ended before the tool did."""
    ok: bool = True
    """False when the tool failed or was refused; `result` says why."""


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One exchange: what was asked, who answered what, and how it ended."""

    user: str
    reply: str
    speaker: str
    """Who answered, as the event named them; the cue is `stage_name` of it."""
    model: str
    remote: bool
    time: str
    """UTC, `2026-05-20 14:30:00`."""
    reasoning: str = ""
    workspace: str = ""
    attachments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    """In the order they were called."""
    outcome: str = "passed"
    """The word of `outcome.Outcome`."""
    error: str = ""
    finish_reason: str = ""
    totals: Totals = Totals()
    pipeline: str = ""
    """The run whose result this is, where `/pipeline …` was asked: its steps have scenes of their own before this."""


class _Closing(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    model: str
    speaker: str
    workspace: str = ""
    attachments: tuple[str, ...] = ()
    outcome: str = "passed"
    error: str = ""
    finish_reason: str = ""
    totals: Totals = Totals()
    pipeline: str = ""
    user: str = ""
    """What was asked, where the scene does not say it."""


_decode = msgspec.json.Decoder(_Closing).decode


def scene_of(turn: Turn, *, agent: str, person: str) -> Scene:
    """The turn on stage. `agent` is onbook's own name, `person` the user's."""
    host, user = turn.speaker or agent, stage_name(person)
    elements: list[Element] = [
        Action(f"{host} and {user} are in chat mode. Model: {turn.model}. Workspace: {turn.workspace}.")
    ]
    if not turn.pipeline:
        elements.append(Speech(user, turn.user))
    elements.extend(Note(NOTE + text) for text in turn.notes)
    elements.extend(note for use in turn.tools for note in _tool_notes(use))
    if turn.reasoning:
        elements.append(Note(THINKING + turn.reasoning))
    if turn.reply:
        elements.append(Speech(stage_name(turn.speaker), turn.reply))
    if turn.outcome != "passed":
        elements.append(Aside(ending(turn)))
    elements.append(_closing_note(turn))
    return Scene("EXT" if turn.remote else "INT", f"{stage_name(host)} AND {user} TALKING", turn.time, tuple(elements))


def turns_of(screenplay: Screenplay) -> tuple[Turn, ...]:
    """Every complete turn, in order. Scenes of other kinds and unfinished turns are passed over."""
    return tuple(turn for scene in screenplay.scenes if (turn := turn_of(scene)))


def turn_of(scene: Scene) -> Turn | None:
    """The turn that this scene shows, if it is one and was written to its end."""
    said: list[str] = []
    notes: list[str] = []
    for element in scene.elements:
        if isinstance(element, Speech):
            said.append(element.text)
        elif isinstance(element, Note):
            if element.text.startswith(TURN):
                return _turn(scene, said, element.text, notes)
            notes.append(element.text)
    return None


def ending(turn: Turn) -> str:
    """How it ended. The error of a pipeline says so itself."""
    if turn.pipeline and turn.error:
        return turn.error
    return in_words(turn.outcome, turn.error)


def _tool_notes(use: ToolUse) -> Iterator[Note]:
    yield Note(_TOOL + use.call)
    if use.result is not None:
        yield Note((_RESULT if use.ok else _FAILURE) + use.result)


def _tools_in(notes: Sequence[str]) -> Iterator[ToolUse]:
    """Each call with the result that stands right below it."""
    for text, below in zip(notes, [*notes[1:], ""], strict=False):
        if not text.startswith(_TOOL):
            continue
        call = text[len(_TOOL) :]
        if below.startswith(_RESULT):
            yield ToolUse(call, below[len(_RESULT) :])
        elif below.startswith(_FAILURE):
            yield ToolUse(call, below[len(_FAILURE) :], ok=False)
        else:
            yield ToolUse(call)


def _closing_note(turn: Turn) -> Note:
    closing = _Closing(
        turn.model,
        turn.speaker,
        turn.workspace,
        turn.attachments,
        turn.outcome,
        turn.error,
        turn.finish_reason,
        turn.totals,
        turn.pipeline,
        turn.user if turn.pipeline else "",
    )
    return note_of(TURN, closing)


def _turn(scene: Scene, said: list[str], closing: str, notes: list[str]) -> Turn:
    try:
        exact = _decode(closing[len(TURN) :])
        user, *replies = [exact.user, *said] if exact.pipeline else said
    except (msgspec.MsgspecError, ValueError):
        raise TranscriptError(f"the turn of {scene.time} is damaged (its closing note)") from None
    return Turn(
        user,
        replies[0] if replies else "",
        exact.speaker,
        exact.model,
        scene.place == "EXT",
        scene.time,
        next((text[len(THINKING) :] for text in notes if text.startswith(THINKING)), ""),
        exact.workspace,
        exact.attachments,
        tuple(text[len(NOTE) :] for text in notes if text.startswith(NOTE)),
        tuple(_tools_in(notes)),
        exact.outcome,
        exact.error,
        exact.finish_reason,
        exact.totals,
        exact.pipeline,
    )
