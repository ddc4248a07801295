"""The output of a pipeline on standard output: the bytes as they are, and nothing else."""

import sys

from onbook.flow.engine import Result
from onbook.outcome import OnbookError, Outcome
from onbook.terminal.reader import READER


def write_output(result: Result) -> Outcome:
    """Write it; the outcome, which is `cancelled` when nobody reads it any more."""
    if result.output is None:
        return result.outcome
    try:
        sys.stdout.flush()
        result.output.write_to(sys.stdout.fileno())
    except OSError as error:
        if READER.has_left(error):
            return Outcome.CANCELLED
        raise OnbookError(f"cannot write the output to standard output: {error.strerror}") from None
    return result.outcome
