"""Fountain source written by `write.py` back to the same elements, at tens of megabytes a second.

Every element is one paragraph, so the file is split at blank lines once and each paragraph is known by its
first character. Text that no escape touched is taken as it is.
"""

from collections.abc import Callable

from onbook.transcript.elements import Action, Aside, Element, Note, Place, Scene, Screenplay, Speech, Transition
from onbook.transcript.errors import TranscriptError
from onbook.transcript.escape import unescape_line, unescape_note, unescape_text
from onbook.transcript.names import is_natural_cue
from onbook.transcript.write import FADE_IN, NATURAL_TRANSITION, THE_END, TIME

_SHORTEST_HEADING = len("INT.  2026-05-20 14:30:00")
_PLACES = ("INT. ", "EXT. ")
_MARKS = (THE_END, FADE_IN)
_TRANSITION_ENDS = (" TO:", "FADE OUT.")


def read(data: bytes) -> Screenplay:
    """The screenplay in a file. What stands before the first scene heading is left out."""
    first, *paragraphs = data.rstrip(b"\n").split(b"\n\n")
    title_page = read_title_page(decode(first))
    scenes: list[Scene] = []
    elements: list[Element] = []
    heading: tuple[Place, str, str] | None = None
    complete = False
    for raw in paragraphs:
        try:
            paragraph = raw.decode()
        except UnicodeDecodeError:
            paragraph = decode(data)
        if not paragraph or paragraph[0] == "\n":
            paragraph = paragraph.strip("\n")
            if not paragraph:
                continue
        if paragraph.startswith(_PLACES) and (found := _heading(paragraph)):
            if heading:
                scenes.append(Scene(*heading, tuple(elements)))
            heading, elements, complete = found, [], False
        elif paragraph in _MARKS:
            complete = paragraph == THE_END
        else:
            elements.append(_ELEMENTS.get(paragraph[0], _spoken)(paragraph))
    if heading:
        scenes.append(Scene(*heading, tuple(elements)))
    return Screenplay(title_page, tuple(scenes), complete)


def decode(data: bytes) -> str:
    """UTF-8 to text, or the line that is not."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TranscriptError(f"line {line}: not UTF-8") from None


def read_title_page(source: str) -> tuple[tuple[str, str], ...]:
    """The pairs of the title page: `Key: value`, one to a line."""
    pairs = []
    for number, line in enumerate(source.split("\n"), 1):
        key, colon, value = line.partition(":")
        if not colon:
            raise TranscriptError(f"line {number}: not a title page (expected a line such as `Title: …`)")
        pairs.append((key, unescape_line(value.removeprefix(" ").removeprefix("\\"))))
    return tuple(pairs)


def _heading(paragraph: str) -> tuple[Place, str, str] | None:
    """Place, title and time."""
    if len(paragraph) < _SHORTEST_HEADING or not TIME.fullmatch(paragraph, len(paragraph) - 19):
        return None
    if "\n" in paragraph:
        return None
    return "INT" if paragraph[0] == "I" else "EXT", unescape_line(paragraph[5:-20]), paragraph[-19:]


def _spoken(paragraph: str) -> Element:
    """A name and what is said below it; without anything below, a transition; else an action."""
    name, line_feed, rest = paragraph.partition("\n")
    if not line_feed:
        if paragraph.endswith(_TRANSITION_ENDS) and NATURAL_TRANSITION.fullmatch(paragraph):
            return Transition(paragraph)
        return Action(unescape_text(paragraph))
    if name[0] == "@":
        name = name[1:]
    elif not is_natural_cue(name):
        return Action(unescape_text(paragraph))
    if rest[:1] == "(":
        line, _, text = rest.partition("\n")
        if line[-1] == ")":
            return Speech(name, unescape_text(text), unescape_line(line[1:-1]))
    return Speech(name, unescape_text(rest))


def _note(paragraph: str) -> Element:
    if paragraph.startswith("[[") and paragraph.endswith("]]"):
        return Note(unescape_note(paragraph[2:-2]))
    return Action(unescape_text(paragraph))


def _aside(paragraph: str) -> Element:
    if paragraph[-1] == ")":
        return Aside(unescape_text(paragraph[1:-1]))
    return Action(unescape_text(paragraph))


def _action(paragraph: str) -> Element:
    return Action(unescape_text(paragraph[1:]))


def _transition(paragraph: str) -> Element:
    return Transition(unescape_line(paragraph[1:]))


_ELEMENTS: dict[str, Callable[[str], Element]] = {"[": _note, "(": _aside, "!": _action, ">": _transition}
