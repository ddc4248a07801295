"""Elements to Fountain source: one paragraph for each element, a blank line after each paragraph."""

import re

from onbook.transcript.elements import Action, Aside, Element, Note, Scene, Screenplay, Speech, Transition
from onbook.transcript.errors import TranscriptError
from onbook.transcript.escape import HEADING_LIKE, escape_line, escape_note, escape_prose, escape_speech
from onbook.transcript.names import cue, stage_name

FADE_IN = "FADE IN:"
THE_END = "THE END."
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
NATURAL_TRANSITION = re.compile(r"[A-Z][A-Z '/-]* TO:|FADE OUT\.")
_TITLE_KEY = re.compile(r"[A-Z][A-Za-z ]*[a-z]")
_PLAIN_ACTION = re.compile(r"[A-Za-z0-9][^(\n]*[a-z]")


def write(screenplay: Screenplay) -> bytes:
    """A whole file."""
    parts = [title_page_source(screenplay.title_page), FADE_IN, "\n\n"]
    parts.extend(scene_source(scene) for scene in screenplay.scenes)
    if screenplay.complete:
        parts.append(f"{THE_END}\n")
    return encode("".join(parts))


def encode(source: str) -> bytes:
    """UTF-8, or one line about the character that has none."""
    try:
        return source.encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise TranscriptError(
            f"text with half a surrogate pair (U+{code:04X}) cannot be recorded: it is not Unicode text"
        ) from None


def title_page_source(pairs: tuple[tuple[str, str], ...]) -> str:
    if not pairs:
        raise TranscriptError("a transcript needs a title page")
    lines = []
    for key, value in pairs:
        if not _TITLE_KEY.fullmatch(key):
            raise TranscriptError(f'"{key}" cannot be a key of a title page: letters, the first a capital')
        source = escape_line(value)
        lines.append(f"{key}: {source}\n" if source.strip() and source[0] != "\\" else f"{key}: \\{source}\n")
    return "".join(lines) + "\n"


def scene_source(scene: Scene) -> str:
    """A heading and its paragraphs, each with the blank line that ends it."""
    if not TIME.fullmatch(scene.time):
        raise TranscriptError(f'"{scene.time}" is not the time of a scene: write it as 2026-05-20 14:30:00')
    parts = [f"{scene.place}. {escape_line(scene.title)} {scene.time}"]
    parts.extend(map(element_source, scene.elements))
    parts.append("")
    return "\n\n".join(parts)


def element_source(element: Element) -> str:
    """One paragraph, without the blank line after it."""
    if isinstance(element, Speech):
        return _speech(element)
    if isinstance(element, Note):
        return f"[[{escape_note(element.text)}]]"
    if isinstance(element, Aside):
        return f"({escape_prose(element.text)})"
    if isinstance(element, Action):
        return _action(element.text)
    return _transition(element)


def _speech(speech: Speech) -> str:
    name = speech.character
    if name != stage_name(name):
        raise TranscriptError(f'"{name}" is not a stage name: it would be "{stage_name(name)}"')
    if speech.direction:
        return f"{cue(name)}\n({escape_line(speech.direction)})\n{escape_speech(speech.text)}"
    return f"{cue(name)}\n{escape_speech(speech.text)}"


def _action(text: str) -> str:
    source = escape_prose(text)
    plain = _PLAIN_ACTION.match(source) and not HEADING_LIKE.match(source)
    return source if plain else f"!{source}"


def _transition(transition: Transition) -> str:
    text = transition.text
    return text if NATURAL_TRANSITION.fullmatch(text) else f">{escape_line(text)}"
