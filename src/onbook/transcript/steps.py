"""Steps of pipelines as scenes, and scenes back as steps.

As with turns, a person reads the screenplay, and the exact values stand in the note that closes the scene. A step of
a workflow has no scene: it is an aside and a note in the workflow's own.
"""

from collections.abc import Iterator

import msgspec

from onbook.events import Reading, Totals
from onbook.transcript.elements import Action, Aside, Element, Note, Scene, Screenplay, Speech, Transition
from onbook.transcript.endings import in_words
from onbook.transcript.errors import TranscriptError
from onbook.transcript.names import stage_name
from onbook.transcript.sealing import STEP, note_of
from onbook.transcript.turns import NOTE, THINKING
from onbook.words import sureness

_GIVEN = "given: "
_WITHIN = "reading: "


class Step(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A prompt file that a model was asked with: what was said, how sure the model was, and how it ended."""

    run: str
    """The pipeline's or workflow's."""
    address: str
    time: str
    """UTC, `2026-05-20 14:30:00`."""
    file: str = ""
    index: int = 0
    """Number of the top-level step it belongs to, from 1."""
    total: int = 0
    line: str = ""
    """What the user typed, as in `/pipeline 90% setup.md`."""
    workspace: str = ""
    speaker: str = ""
    """Who answered, as the event named them; empty where nobody was asked."""
    model: str = ""
    remote: bool = False
    instructed: bool = False
    """Whether the hidden confidence instruction was appended."""
    reading: Reading | None = None
    threshold: float | None = None
    outcome: str = "passed"
    """The word of `outcome.Outcome`."""
    error: str = ""
    finish_reason: str = ""
    reused: bool = False
    """Taken from the journal: nobody was asked."""
    totals: Totals = Totals()
    given: str = ""
    """What stood before the file's text when it was sent, unless it is the reply of the scene before."""
    body: str | None = None
    """The file's text to the end of its last line; None where nothing was sent."""
    notes: tuple[str, ...] = ()
    reasoning: str = ""
    reply: str = ""


_decode = msgspec.json.Decoder(Step).decode


def step_scene(step: Step, *, person: str) -> Scene:
    """The step of a pipeline on stage."""
    user = stage_name(person)
    model = f"Model: {step.model}. " if step.model else ""
    elements: list[Element] = [Action(f"{user} executes {step.line}.\n{model}Workspace: {step.workspace}.")]
    if step.instructed:
        elements.append(Aside("hidden confidence instruction appended"))
    if step.given:
        elements.append(Note(_GIVEN + step.given))
    if step.body is not None:
        elements.append(Speech(user, step.body))
    elements.extend(Note(NOTE + text) for text in step.notes)
    if step.reasoning:
        elements.append(Note(THINKING + step.reasoning))
    if step.reply:
        elements.append(Speech(stage_name(step.speaker), step.reply))
    if ending := how_it_ended(step):
        elements.append(Aside(ending))
    goes_on = step.outcome == "passed" and step.index < step.total
    elements += [Transition("CUT TO:" if goes_on else "CUT BACK TO:"), _exactly(STEP, step)]
    title = f"PIPELINE {step.file.upper()} STEP {step.index}/{step.total}"
    return Scene("EXT" if step.remote else "INT", title, step.time, tuple(elements))


def step_within(step: Step) -> tuple[Element, ...]:
    """The step of a workflow, in the workflow's scene."""
    return Aside(f"{step.address} — {how_it_ended(step)}"), _exactly(_WITHIN, step)


def steps_of(screenplay: Screenplay) -> tuple[Step, ...]:
    """Every finished step, in order. Those of workflows come without what was said in them."""
    return tuple(step for scene in screenplay.scenes for step in steps_in(scene))


def steps_in(scene: Scene) -> Iterator[Step]:
    """The steps that this scene shows, if it was written to their end."""
    said: list[str] = []
    notes: list[str] = []
    for element in scene.elements:
        if isinstance(element, Speech):
            said.append(element.text)
        elif isinstance(element, Note):
            if element.text.startswith(STEP):
                yield _with_words(_exact(scene, element.text[len(STEP) :]), said, notes)
                return
            if element.text.startswith(_WITHIN):
                yield _exact(scene, element.text[len(_WITHIN) :])
            notes.append(element.text)


def how_it_ended(step: Step) -> str:
    """What is said of its end: how sure, and what else went wrong."""
    parts = [sureness(step.reading.score, step.threshold)] if step.reading else []
    if step.reused:
        parts.insert(0, f"taken from run {step.run}")
    if step.outcome not in ("passed", "below_threshold"):
        parts.append(step.error or in_words(step.outcome))
    return "; ".join(parts)


def _exactly(word: str, step: Step) -> Note:
    """Everything but the words, which stand in the scene."""
    return note_of(word, msgspec.structs.replace(step, given="", body=None, notes=(), reasoning="", reply=""))


def _exact(scene: Scene, values: str) -> Step:
    try:
        return _decode(values)
    except msgspec.MsgspecError:
        raise TranscriptError(f"a step in the scene of {scene.time} is damaged (its closing note)") from None


def _with_words(step: Step, said: list[str], notes: list[str]) -> Step:
    return msgspec.structs.replace(
        step,
        given=next((text[len(_GIVEN) :] for text in notes if text.startswith(_GIVEN)), ""),
        body=said[0] if said else None,
        notes=tuple(text[len(NOTE) :] for text in notes if text.startswith(NOTE)),
        reasoning=next((text[len(THINKING) :] for text in notes if text.startswith(THINKING)), ""),
        reply=said[1] if len(said) > 1 else "",
    )
