"""Who recorded a file: the one place that tells onbook's own transcripts, Harvey's and anything else apart."""

from pathlib import Path
from typing import Literal

from onbook.transcript.errors import TranscriptError
from onbook.transcript.read import decode, read_title_page

Origin = Literal["onbook", "Harvey"]

_CREDITS: dict[str, Origin] = {"Recorded by onbook": "onbook", "Recorded by Harvey": "Harvey"}
_FORMATS = ("onbook 1",)


def origin_of(path: Path, data: bytes) -> Origin:
    """By the title page; a `.spmd` without a credit is taken for one of Harvey's."""
    page = dict(read_title_page(decode(data.partition(b"\n\n")[0])))
    origin = _CREDITS.get(page.get("Credit", ""), "Harvey" if path.suffix == ".spmd" else None)
    if origin is None:
        raise TranscriptError("line 1: not a recording of onbook or Harvey (no `Credit: Recorded by …`)")
    if origin == "onbook" and page.get("Format", _FORMATS[0]) not in _FORMATS:
        raise TranscriptError(f'format "{page["Format"]}" is newer than this onbook')
    return origin
