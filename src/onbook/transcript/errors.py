"""The errors of this room: a transcript that cannot be written, read or found, said in one line."""

from onbook.outcome import OnbookError, Outcome


class TranscriptError(OnbookError):
    """What went wrong with which file, and where it can be known, at which line."""


class NoSuchSession(TranscriptError):
    """The name given leads to no recording, or to several: a mistake in the command, not in a file."""

    outcome = Outcome.USAGE
