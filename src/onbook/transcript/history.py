"""A recorded session back from its file, whoever recorded it: onbook's own format or Harvey's."""

from pathlib import Path

import msgspec

from onbook.transcript.elements import Screenplay
from onbook.transcript.errors import TranscriptError
from onbook.transcript.harvey import read_harvey
from onbook.transcript.harvey_turns import harvey_turns
from onbook.transcript.origin import origin_of
from onbook.transcript.read import decode, read
from onbook.transcript.sealing import INTERRUPTED, is_sealed
from onbook.transcript.steps import Step, steps_of
from onbook.transcript.tail import can_grow, without_half_character
from onbook.transcript.turns import Turn, turns_of
from onbook.workspace.files import read_plain

_INTERRUPTION = f"\n[[{INTERRUPTED}]]\n".encode()


class Session(msgspec.Struct, frozen=True):
    """What a transcript holds."""

    path: Path
    title_page: tuple[tuple[str, str], ...]
    turns: tuple[Turn, ...]
    complete: bool
    """It ends with `THE END.`"""
    torn: bool
    """The file ends, or once ended, in the middle of a turn; that turn is left out."""
    appendable: bool
    """`Recorder.resume` can go on in this file. Otherwise its turns are the history of a new one."""
    screenplay: Screenplay
    steps: tuple[Step, ...] = ()
    """The steps of pipelines, and those of workflows that were asked how sure they are."""


def load(path: Path) -> Session:
    """Reads a transcript; what is wrong with one is said in a line with the file and where."""
    try:
        source = _contents(path)
        return _session(path, _usual(source), appendable=can_grow(source))
    except TranscriptError as error:
        raise TranscriptError(f"{path}: {error}") from None


def _session(path: Path, data: bytes, *, appendable: bool) -> Session:
    if origin_of(path, data) == "onbook":
        screenplay = read(data)
        turns, torn = turns_of(screenplay), _INTERRUPTION in data or _is_torn(screenplay)
    else:
        screenplay = read_harvey(decode(data))
        turns, torn = harvey_turns(screenplay), not screenplay.complete
    steps = steps_of(screenplay)
    return Session(path, screenplay.title_page, turns, screenplay.complete, torn, appendable, screenplay, steps)


def _contents(path: Path) -> bytes:
    try:
        data = read_plain(path)
    except OSError as error:
        raise TranscriptError(f"cannot read the transcript: {error.strerror}") from None
    if not data or data.isspace():
        raise TranscriptError("the file is empty")
    if (nul := data.find(b"\0")) >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise TranscriptError(f"line {line}: not text (a NUL byte)")
    return data


def _usual(data: bytes) -> bytes:
    """The source without what other programs add, and without half a character at a torn end."""
    if b"\r" in data:  # an editor elsewhere; onbook itself writes no carriage return
        data = data.replace(b"\r\n", b"\n")
    return without_half_character(data.removeprefix(b"\xef\xbb\xbf"))


def _is_torn(screenplay: Screenplay) -> bool:
    if screenplay.complete:
        return False
    return not screenplay.scenes or not is_sealed(screenplay.scenes[-1])
