"""What went wrong with a server, in one sentence."""

import os

from onbook.outcome import OnbookError
from onbook.policy.effects import one_line
from onbook.policy.secrets import redact


def sentence(error: BaseException) -> str:
    """The first real cause, in the system's or the server's own words; one line without keys."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return one_line(redact(_words(error)))


def _words(error: BaseException) -> str:
    if isinstance(error, OnbookError):
        return str(error)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            return f"it cannot be reached: {os.strerror(cause.errno)}" if cause.errno > 0 else str(cause)
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__
