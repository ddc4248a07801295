"""Child processes that take signals as they would in a terminal."""

import signal


def default_signals() -> None:
    """A `preexec_fn`: a suite started with `nohup … &` ignores these, and its children would inherit that."""
    for each in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(each, signal.SIG_DFL)
