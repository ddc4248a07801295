"""The three standard streams as a command needs them: there, willing to take any text, quiet at the end."""

import io
import os
import sys
from typing import TextIO

from onbook.terminal.reader import READER


def prepare_streams() -> None:
    """Streams that are there, whatever the caller closed, and that take any text, whatever the locale."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            null = open(os.devnull, "r" if name == "stdin" else "w", encoding="utf-8")  # noqa: SIM115, PTH123
            setattr(sys, name, null)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def settle_streams() -> bool:
    """Whether all was written. What was not is dropped: Python must not complain about it once more at exit."""
    return [_settle(stream) for stream in (sys.stderr, sys.stdout)][-1]


def _settle(stream: TextIO) -> bool:
    try:
        stream.flush()
    except OSError as error:
        if stream is sys.stdout:
            READER.has_left(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
