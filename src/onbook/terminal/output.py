"""Standard output that takes no more: what that means for whoever was about to be answered there."""

import asyncio
import errno

from onbook.outcome import OnbookError
from onbook.terminal.reader import READER


class OutputLost(OnbookError):
    """Standard output takes no more, for another reason than that its reader left."""


def loss(error: OSError) -> BaseException:
    """What ends the turn. A reader or a terminal that left cancels it; it is recorded as far as it came."""
    if READER.has_left(error) or error.errno == errno.EIO:
        return asyncio.CancelledError()
    return OutputLost(f"cannot write the answer to standard output: {error.strerror}")
