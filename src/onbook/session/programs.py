"""How a program ended: the same words for the person and the model, and the one event of it."""

import signal
import time

from onbook.events import ProcessFinished
from onbook.policy.process import Ran


def ending(ran: Ran) -> str:
    """How it ended, in a few words: `exit code 1`, `ended by SIGKILL`, or why it was stopped."""
    if ran.stopped:
        return ran.stopped
    if ran.exit_code >= 0:
        return f"exit code {ran.exit_code}"
    try:
        return f"ended by {signal.Signals(-ran.exit_code).name}"
    except ValueError:
        return f"ended by signal {-ran.exit_code}"


def process_finished(run: str, command: str, output: str, ran: Ran) -> ProcessFinished:
    """The event of the program's end; `output` is what was kept of what it said."""
    return ProcessFinished(
        run=run,
        time=time.time(),
        command=command,
        exit_code=None if ran.stopped else ran.exit_code,
        output=output,
        seconds=ran.seconds,
        problem=_problem(ran),
    )


def _problem(ran: Ran) -> str:
    cut = "the middle of its output is left out" if ran.truncated else ""
    return ran.stopped or cut or (ending(ran) if ran.exit_code < 0 else "")
