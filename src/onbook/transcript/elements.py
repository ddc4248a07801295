"""The parts of a screenplay as plain values: what runners write scenes with and readers get back."""

from typing import Literal

import msgspec

Place = Literal["INT", "EXT"]
"""INT: on this machine. EXT: a model that lives somewhere else."""


class Speech(msgspec.Struct, frozen=True, gc=False):
    """Somebody says something. `character` is a stage name (see `names.py`)."""

    character: str
    text: str
    direction: str = ""
    """The parenthetical under the name, without its parentheses."""


class Note(msgspec.Struct, frozen=True, gc=False):
    """`[[text]]`: for the record, not for the stage."""

    text: str


class Aside(msgspec.Struct, frozen=True, gc=False):
    """`(text)` as a paragraph of its own, such as `(confidence: 0.91 — threshold met)`."""

    text: str


class Transition(msgspec.Struct, frozen=True, gc=False):
    """`CUT TO:` and its like."""

    text: str


class Action(msgspec.Struct, frozen=True, gc=False):
    """What happens, in prose."""

    text: str


Element = Speech | Note | Aside | Transition | Action


class Scene(msgspec.Struct, frozen=True, gc=False):
    """`INT. TITLE 2026-05-20 14:30:00` and what is in it."""

    place: Place
    title: str
    time: str
    elements: tuple[Element, ...] = ()


class Screenplay(msgspec.Struct, frozen=True, gc=False):
    """A whole file. `complete` says that it ends with `THE END.`"""

    title_page: tuple[tuple[str, str], ...] = ()
    scenes: tuple[Scene, ...] = ()
    complete: bool = True
