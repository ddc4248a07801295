"""The record of a session: a Fountain screenplay that is only ever appended to and reads back exactly.

The names below are found in their files when they are first asked for, so that importing one file of this
room does not load the others. (`read` and `write` are files: `from onbook.transcript.read import read`.)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onbook.transcript.elements import Action, Aside, Element, Note, Place, Scene, Screenplay, Speech, Transition
    from onbook.transcript.errors import TranscriptError
    from onbook.transcript.history import Session, load
    from onbook.transcript.names import stage_name
    from onbook.transcript.recorder import Cast, Recorder
    from onbook.transcript.sessions import Summary, find_session, list_sessions
    from onbook.transcript.steps import Step, step_scene, steps_of
    from onbook.transcript.turns import ToolUse, Turn, scene_of, turns_of

__all__ = [
    "Action",
    "Aside",
    "Cast",
    "Element",
    "Note",
    "Place",
    "Recorder",
    "Scene",
    "Screenplay",
    "Session",
    "Speech",
    "Step",
    "Summary",
    "ToolUse",
    "TranscriptError",
    "Transition",
    "Turn",
    "find_session",
    "list_sessions",
    "load",
    "scene_of",
    "stage_name",
    "step_scene",
    "steps_of",
    "turns_of",
]

_FILES = {
    "errors": ("TranscriptError",),
    "history": ("Session", "load"),
    "names": ("stage_name",),
    "recorder": ("Cast", "Recorder"),
    "sessions": ("Summary", "find_session", "list_sessions"),
    "steps": ("Step", "step_scene", "steps_of"),
    "turns": ("ToolUse", "Turn", "scene_of", "turns_of"),
}

if not TYPE_CHECKING:  # a type checker reads the imports above, and must not take any name for granted

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        file = next((file for file, names in _FILES.items() if name in names), "elements")
        return getattr(import_module(f"{__name__}.{file}"), name)
