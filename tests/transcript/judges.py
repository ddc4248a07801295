"""Two Fountain readers by other people: whom do they hear speak?"""

import io

from fountain import FountainParser
from fountain.elements import ElementType, FountainElement
from screenplain.parsers import fountain as screenplain
from screenplain.types import Dialog, DualDialog

from onbook.transcript import Screenplay, Speech


def written(screenplay: Screenplay) -> list[str]:
    parts = (part for scene in screenplay.scenes for part in scene.elements)
    return [part.character for part in parts if isinstance(part, Speech)]


def heard_by_screenplain(source: str) -> list[str]:
    heard = []
    for part in screenplain.parse(io.StringIO(source, newline="")):
        if isinstance(part, DualDialog):
            heard.append("two at once")
        elif isinstance(part, Dialog):
            heard.append(str(part.character))
    return heard


def heard_by_fountain_py(source: str) -> list[str]:
    return [_name(element) for element in FountainParser().parse(source).elements if _is_spoken(element)]


def _is_spoken(element: FountainElement) -> bool:
    return element.type in (ElementType.CHARACTER, ElementType.DUAL_DIALOGUE)


def _name(element: FountainElement) -> str:
    return element.text if element.type is ElementType.CHARACTER else "two at once"
