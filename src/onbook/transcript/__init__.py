"""The record of a session: a Fountain screenplay that is only ever appended to and reads back exactly."""

from onbook.transcript.elements import (
    Action,
    Aside,
    Element,
    Note,
    Place,
    Scene,
    Screenplay,
    Speech,
    Transition,
)
from onbook.transcript.errors import TranscriptError
from onbook.transcript.history import Session, load
from onbook.transcript.names import stage_name
from onbook.transcript.read import read
from onbook.transcript.recorder import Cast, Recorder
from onbook.transcript.sessions import Summary, find_session, list_sessions
from onbook.transcript.turns import Turn, scene_of, turns_of
from onbook.transcript.write import write

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
    "Summary",
    "TranscriptError",
    "Transition",
    "Turn",
    "find_session",
    "list_sessions",
    "load",
    "read",
    "scene_of",
    "stage_name",
    "turns_of",
    "write",
]
