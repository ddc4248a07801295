"""Whoever reads standard output: whether they are still there, and how a command ends when they are not."""

import errno

EXIT_CODE = 141
"""128 + SIGPIPE: what a shell says of a program that wrote to a pipe whose reader had left, as in `… | head -1`."""


class Reader:
    """Known to be gone by a write that failed, and by nothing else: who has read all may leave before we do."""

    left = False

    def has_left(self, error: OSError) -> bool:
        """Whether that is why a write to standard output failed. It is remembered, for the exit code."""
        if error.errno == errno.EPIPE:
            self.left = True
        return error.errno == errno.EPIPE


READER = Reader()
"""There is one, as there is one standard output."""
