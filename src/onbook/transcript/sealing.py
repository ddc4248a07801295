"""The notes that close scenes: exact values that prose would blur, and the sign that a scene was written to its end.

No text can forge one, because every other note begins with another word and `[[` is escaped everywhere else.
"""

import msgspec

from onbook.transcript.elements import Note, Scene
from onbook.transcript.errors import TranscriptError

TURN = "turn: "
STEP = "step: "
END_OF_SCENE = "end of scene"
INTERRUPTED = "recording interrupted here; the scene above is not complete"

_encode = msgspec.json.Encoder().encode


def is_sealed(scene: Scene) -> bool:
    """Whether the last thing in the scene is the note that the recorder closes every scene with."""
    last = scene.elements[-1] if scene.elements else None
    return isinstance(last, Note) and (last.text.startswith((TURN, STEP)) or last.text == END_OF_SCENE)


def note_of(word: str, values: msgspec.Struct) -> Note:
    """`[[word: {…}]]`"""
    try:
        return Note(word + _encode(values).decode())
    except UnicodeEncodeError:
        raise TranscriptError(
            "a name or path with half a surrogate pair cannot be recorded: it is not Unicode text"
        ) from None
