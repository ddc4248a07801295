"""The one error of this room: a transcript that cannot be written, read or found, said in one line."""

from onbook.outcome import OnbookError


class TranscriptError(OnbookError):
    """What went wrong with which file, and where it can be known, at which line."""
