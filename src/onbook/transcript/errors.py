"""The errors of this room: a transcript that cannot be written, read or found, said in one line."""

from onbook.outcome import OnbookError, Outcome


class TranscriptError(OnbookError):
    """What went wrong with which file, and where it can be known, at which line."""


class SessionInUse(TranscriptError):
    """Another process is recording in it."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session} is in use by another process")


class NoSuchSession(TranscriptError):
    """The name given leads to no recording, or to several: a mistake in the command, not in a file."""

    outcome = Outcome.USAGE
