"""Recordings made by Harvey (`.spmd`), which does not escape: surroundings tell where a speech ends.

A paragraph goes on with the speech above it unless it is a scene heading with a time, a note of Harvey's, a
transition, the line of statistics, or the name of somebody known in that scene. Code blocks are never cut.
"""

import re

from onbook.transcript.elements import Action, Element, Note, Place, Scene, Screenplay, Speech, Transition
from onbook.transcript.read import read_title_page

TALK = re.compile(r"(.+?) AND (.+?)(?: TALKING)?")
FORWARDING = re.compile(r"Forwarding to (.+)\.")
MODEL = re.compile(r"\bModel: (.+?)\.(?: |$)", re.MULTILINE)
STATS = re.compile(r"(?:.* · )?\d+ reply \+ \d+ ctx · .*")
_HEADING = re.compile(r"(INT|EXT)\. (.+?) (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")
_ROUTING = re.compile(r"Routing to \S+")
_NOTE = re.compile(r"\[\[([A-Za-z][\w .-]*: .*)\]\]")
_TRANSITION = re.compile(r"FADE IN:|FADE OUT\.|[A-Z][A-Z ]* TO:|THE END\.")
_MARKS = (Transition("FADE IN:"), Transition("THE END."))
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


def read_harvey(source: str) -> Screenplay:
    """The scenes of a recording, every reply whole."""
    first, _, body = source.partition("\n\n")
    title_page = read_title_page(first)
    author = dict(title_page).get("Author", "")
    lines = body.split("\n")
    starts = [i for i in range(len(lines)) if _HEADING.fullmatch(lines[i]) and _begins(lines, i)]
    ends = [*starts[1:], len(lines)]
    scenes = [_scene(lines[start:end], author) for start, end in zip(starts, ends, strict=False)]
    return Screenplay(title_page, tuple(scenes), body.rstrip().endswith("\nTHE END."))


def _begins(lines: list[str], index: int) -> bool:
    """Whether a paragraph begins at this line."""
    return not index or not lines[index - 1].strip()


def _ends(lines: list[str], index: int) -> bool:
    return index + 1 >= len(lines) or not lines[index + 1].strip()


def _scene(lines: list[str], author: str) -> Scene:
    place, title, time = _HEADING.findall(lines[0])[0]
    where: Place = "EXT" if place == "EXT" else "INT"
    talk = TALK.fullmatch(title)
    names = set(talk.groups()) if talk else {title.removeprefix("SKILL ")}
    return Scene(where, title, time, tuple(_Reader(lines[1:], names | {"HARVEY", author}).elements()))


class _Reader:
    """Goes through the lines of one scene, getting to know who is in it."""

    def __init__(self, lines: list[str], known: set[str]) -> None:
        self._lines = lines
        self._known = known - {""}
        self._elements: list[Element] = []
        self._block: list[str] = []
        self._speaker = ""
        self._fence = ""

    def elements(self) -> list[Element]:
        for index, line in enumerate(self._lines):
            if self._in_code(index) or not _begins(self._lines, index):
                self._add(line)
            elif element := self._standalone(index):
                self._finish()
                if element not in _MARKS:
                    self._elements.append(element)
            elif line in self._known and not _ends(self._lines, index):
                self._finish()
                self._speaker = line
            else:
                self._add(line)
        self._finish()
        return self._elements

    def _add(self, line: str) -> None:
        """Goes on with the speech or the action, and remembers whom Harvey introduces."""
        self._block.append(line)
        introduced = MODEL.search(line) if not self._speaker else None
        if self._speaker == "HARVEY":
            introduced = FORWARDING.fullmatch(line)
        if introduced:
            self._known.add(introduced[1])

    def _in_code(self, index: int) -> bool:
        """Whether the line belongs to a fenced block; a fence that is never closed is none."""
        line = self._lines[index]
        if self._fence:
            self._fence = "" if line.strip() == self._fence else self._fence
            return True
        if opened := _FENCE.match(line):
            closing = opened[1]
            closed = any(later.strip() == closing for later in self._lines[index + 1 :])
            self._fence = closing if closed else ""
        return bool(self._fence)

    def _standalone(self, index: int) -> Element | None:
        """The element that this line is all by itself, whatever was being said above it."""
        line = self._lines[index]
        if not _ends(self._lines, index):
            return None
        if note := _NOTE.fullmatch(line):
            return Note(note[1])
        if _TRANSITION.fullmatch(line):
            return Transition(line)
        routing = _ROUTING.fullmatch(line) and any(map(STATS.fullmatch, self._lines[index + 1 : index + 3]))
        return Action(line) if routing or STATS.fullmatch(line) else None

    def _finish(self) -> None:
        """Ends the speech or the action that was being read."""
        text = "\n".join(self._block).strip("\n")
        if self._speaker:
            self._elements.append(Speech(self._speaker, text))
        else:
            self._elements.extend(Action(part) for part in re.split(r"\n{2,}", text) if part)
        self._block.clear()
        self._speaker = ""
